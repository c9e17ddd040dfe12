// Fair limits of a server's places, or bytes, per client. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

namespace rollcall {

/// A holder may have at most as many places as are still free: a single holder gets half of them, two get a third each, and a new holder
/// always finds free places, however many the others hold.
class FairShares {
 public:
  /// 0 places: no limit.
  explicit FairShares(std::size_t places) : places_(places) {}
  /// True: places are taken, until leave(). An empty holder has no limit of its own, and gets any that are free.
  bool enter(const std::string& holder, std::size_t places = 1);
  void leave(const std::string& holder, std::size_t places = 1) noexcept;
  bool is_full() const noexcept { return places_ > 0 && taken_ >= places_; }
  std::size_t taken() const noexcept { return taken_; }

 private:
  std::size_t places_;
  std::size_t taken_ = 0;
  std::unordered_map<std::string, std::size_t> held_;
};

}  // namespace rollcall
