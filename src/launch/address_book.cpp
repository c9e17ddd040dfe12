#include "launch/address_book.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace rollcall {

Result<void> TaskAddressBook::add(std::string_view job, int index, const Endpoint& address) {
  const auto [first, is_new] = tasks_.try_emplace({HostIdentity(address.host), address.port.value_or(0)}, job, index);
  if (is_new) return {};
  const auto& [other_job, other_index] = first->second;
  return Failure(Errc::invalid_argument, fmt::format("{} {} and {} {} have the same address, {}", printable(other_job, 80), other_index,
                                                     printable(job, 80), index, printable(address.to_text(), 300)))
      .with_hint(std::string(hint_));
}

Result<void> check_addresses_differ(const ClusterSpec& spec, const LaunchFacts& facts) {
  TaskAddressBook addresses(facts.same_address_hint);
  for (const ClusterSpec::Job& job : spec.job_list()) {
    for (const auto& [index, address] : job.tasks) {
      const Result<Endpoint> endpoint = Endpoint::parse(address);
      if (!endpoint || !endpoint->port) continue;
      const Result<void> is_its_own = addresses.add(job.name, index, *endpoint);
      if (!is_its_own) return is_its_own;
    }
  }
  return {};
}

}  // namespace rollcall
