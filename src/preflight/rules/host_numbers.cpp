#include "preflight/rules/host_numbers.hpp"

namespace rollcall::preflight {

std::size_t HostNumbers::of(const EvidenceMember& member) {
  if (member.boot_id.empty()) return count_++;
  ByAddress& alike = numbers_[member.boot_id + " " + member.host];
  if (const auto known = alike.find(member.from); known != alike.end()) return known->second;
  const auto judge = alike.find("");
  const auto like = member.from.empty() ? alike.begin() : judge;
  return alike[member.from] = like == alike.end() ? count_++ : like->second;
}

}  // namespace rollcall::preflight
