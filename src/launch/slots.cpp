#include "launch/slots.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

std::optional<int> known_count(const Rank& rank, const LaunchFacts& facts) {
  if (facts.accelerators_per_host) return facts.accelerators_per_host;
  if (rank.member && rank.member->accelerators) return rank.member->accelerators->count;
  return std::nullopt;
}

// Members on one machine have its accelerators together, or each has its own.
void add_slots(const Rank& rank, const LaunchFacts& facts, RankedHost& host) {
  const int count = known_count(rank, facts).value_or(0);
  host.slots = shares_machine(rank, facts) ? std::max(host.slots, count) : saturating_sum(host.slots, count);
}

// Containers on one machine that have its accelerators together have addresses of their own: each would start processes for all of them.
Result<void> check_sharing(const Rank& rank, const LaunchFacts& facts) {
  if (facts.accelerators_per_host || !shares_machine(rank, facts) || rank.member->accelerators->count == 0) return {};
  const std::string& machine = rank.member->host;
  if (machine.empty() || machine == rank.endpoint.host) return {};
  const auto other = std::find_if(facts.members.begin(), facts.members.end(), [&](const Member& member) {
    if (member.host != machine || !member.accelerators || !member.accelerators->is_shared) return false;
    const Result<Endpoint> endpoint = Endpoint::parse(member.address);
    return endpoint && endpoint->host != rank.endpoint.host;
  });
  if (other == facts.members.end()) return {};
  return Failure(Errc::failed_precondition,
                 fmt::format("{} and {} share {} accelerators of {}: how many of them each uses is not known", rank.member->label(),
                             other->label(), rank.member->accelerators->count, printable(machine, 100)))
      .with_hint("say how many processes each shall have: --slots N");
}

}  // namespace

std::vector<RankedHost> hosts_of(const std::vector<Rank>& ranks, const LaunchFacts& facts) {
  std::vector<RankedHost> hosts;
  for (const Rank& rank : ranks) {
    if (static_cast<std::size_t>(rank.host) == hosts.size()) hosts.emplace_back().name = rank.endpoint.host;
    ++hosts[static_cast<std::size_t>(rank.host)].tasks;
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) add_slots(ranks[i], facts, hosts[static_cast<std::size_t>(ranks[i].host)]);
  for (RankedHost& host : hosts) {
    if (host.slots == 0) host.slots = host.tasks;
  }
  return hosts;
}

Result<void> check_slots(const std::vector<Rank>& ranks, const LaunchFacts& facts) {
  for (const Rank& rank : ranks) {
    if (const Result<void> fine = check_sharing(rank, facts); !fine) return fine;
  }
  const auto is_known = [&facts](const Rank& rank) { return known_count(rank, facts).has_value(); };
  const auto known = std::find_if(ranks.begin(), ranks.end(), [&](const Rank& rank) { return known_count(rank, facts).value_or(0) > 0; });
  const auto unknown = std::find_if_not(ranks.begin(), ranks.end(), is_known);
  if (known == ranks.end() || unknown == ranks.end()) return {};
  std::string names;
  int last = -1;
  int count = 0;
  for (const Rank& rank : ranks) {
    if (is_known(rank) || rank.host == last) continue;
    last = rank.host;
    if (++count <= 8) names += (names.empty() ? "" : ", ") + rank.endpoint.host;
  }
  if (count > 8) names += fmt::format(" and {} more", count - 8);
  return Failure(Errc::failed_precondition, fmt::format("{} has {} accelerators, but how many {} {} is not known", known->endpoint.host,
                                                        *known_count(*known, facts), names, count > 1 ? "have" : "has"))
      .with_hint("say how many processes each host shall have: --slots N");
}

bool shares_machine(const Rank& rank, const LaunchFacts& facts) {
  return facts.accelerators_per_host || (rank.member && rank.member->accelerators && rank.member->accelerators->is_shared);
}

Result<std::optional<int>> accelerators_of(const Rank& rank, const LaunchFacts& facts) {
  const std::optional<int> count = known_count(rank, facts);
  if (!count || *count == 0) return std::optional<int>();
  if (const Result<void> fine = check_sharing(rank, facts); !fine) return fine.error();
  if (!shares_machine(rank, facts)) return count;
  if (*count % rank.local_size == 0) return std::optional<int>(*count / rank.local_size);
  return Failure(Errc::failed_precondition,
                 fmt::format("{} has {} accelerators, which its {} tasks cannot share evenly", rank.endpoint.host, *count, rank.local_size))
      .with_hint("say how many processes a host shall have: --slots N");
}

std::string unknown_accelerators(const LaunchFacts& facts, std::optional<LaunchFormat> format) {
  if (format && !facts_of(*format).uses_accelerators) return {};
  const Result<std::vector<Rank>> ranks = tasks_of(facts);
  if (!ranks) return {};
  std::string first;
  std::size_t others = 0;
  for (const Rank& rank : *ranks) {
    // JAX takes all devices of the machine where its process is alone.
    if (known_count(rank, facts) || rank.local_rank > 0 || (format == LaunchFormat::jax && rank.local_size == 1)) continue;
    if (first.empty()) {
      first = rank.endpoint.host;
    } else {
      ++others;
    }
  }
  if (first.empty()) return {};
  return fmt::format("how many accelerators {} has is not known{}", first, others > 0 ? fmt::format(", and of {} more", others) : "");
}

}  // namespace rollcall
