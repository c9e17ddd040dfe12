// Which members are tasks of one host: they say so themselves, by its name and the id of its start, and come from one address. An address
// cannot be said, so that no member takes the place of another host.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "rollcall/preflight_evidence.hpp"

namespace rollcall::preflight {

class HostNumbers {
 public:
  HostNumbers() {}
  /// From 0 on; the same for members of one host.
  std::size_t of(const EvidenceMember& member);
  /// So many hosts were given a number.
  std::size_t count() const noexcept { return count_; }
  /// The first member of its host that is asked for.
  bool is_new(const EvidenceMember& member) {
    const std::size_t before = count_;
    return of(member) == before;
  }

 private:
  using ByAddress = std::map<std::string, std::size_t>;  // "": of the member that judges, which comes from nowhere
  std::map<std::string, ByAddress> numbers_;  // by what members say
  std::size_t count_ = 0;
};

}  // namespace rollcall::preflight
