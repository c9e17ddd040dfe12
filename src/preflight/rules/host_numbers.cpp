#include "preflight/rules/host_numbers.hpp"

namespace rollcall::preflight {

std::size_t HostNumbers::of(const EvidenceMember& member) {
  if (member.boot_id.empty()) return count_++;
  std::vector<Host>& alike = hosts_[member.boot_id + " " + member.host];
  for (Host& host : alike) {
    const bool is_there = member.from.empty() || host.addresses.contains("") || host.addresses.contains(member.from);
    if (!is_there) continue;
    host.addresses.insert(member.from);
    return host.number;
  }
  Host& host = alike.emplace_back(count_++);
  host.addresses.insert(member.from);
  return host.number;
}

}  // namespace rollcall::preflight
