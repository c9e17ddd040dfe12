// What the member that leads lets each member do next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "preflight/wire/preflight_documents.hpp"

namespace rollcall::preflight {

class OrderBook {
 public:
  explicit OrderBook(std::size_t members) : orders_(members) {}

  /// Flows from one to another, which are measured at both ends.
  void order(const std::vector<std::pair<std::size_t, std::size_t>>& flows);
  /// These probe those once more that they did not reach.
  void order_again(const std::vector<std::size_t>& places);
  /// These list their packages.
  void order_packages(const std::vector<std::size_t>& places);
  /// 0: there was none yet.
  std::int64_t number() const noexcept { return number_; }
  const LeaderOrder& of(std::size_t place) const { return orders_[place]; }

 private:
  void begin();

  std::int64_t number_ = 0;
  std::vector<LeaderOrder> orders_;  // the last one, by place
};

}  // namespace rollcall::preflight
