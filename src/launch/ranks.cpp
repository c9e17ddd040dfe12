#include "launch/ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "launch/address_book.hpp"

namespace rollcall {
namespace {

// FNV-1a: short, and the same on every machine, unlike std::hash.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

bool comes_first(const std::string& job) { return job == "chief" || job == "master"; }

// Of Vertex AI's pools the third has parameter servers or Reduction Server, the fourth evaluators [facts: vertex-cluster-spec].
bool has_no_rank(std::string_view job) {
  constexpr std::string_view pool = "workerpool";
  const std::optional<int> number = job.starts_with(pool) ? parse_decimal<int>(job.substr(pool.size())) : std::nullopt;
  return job == "ps" || job == "evaluator" || number.value_or(0) > 1;
}

Result<std::vector<const ClusterSpec::Job*>> jobs_of(const LaunchFacts& facts) {
  std::vector<const ClusterSpec::Job*> jobs;
  const std::vector<ClusterSpec::Job>& all = facts.spec.job_list();
  for (const std::string& name : facts.jobs) {
    const auto found = std::find_if(all.begin(), all.end(), [&name](const ClusterSpec::Job& job) { return job.name == name; });
    if (found == all.end()) {
      return Failure(Errc::not_found, fmt::format("the cluster has no job {}; its jobs are {}", quoted(name, 80),
                                                  printable(fmt::format("{}", fmt::join(facts.spec.jobs(), ", ")))));
    }
    if (std::find(jobs.begin(), jobs.end(), &*found) != jobs.end())
      return Failure(Errc::invalid_argument, fmt::format("job {} is named twice", quoted(name, 80)));
    jobs.push_back(&*found);
  }
  if (!jobs.empty()) return jobs;
  for (const bool is_first : {true, false}) {
    for (const ClusterSpec::Job& job : all) {
      if (comes_first(job.name) == is_first) jobs.push_back(&job);
    }
  }
  return jobs;
}

Result<void> check_kind(const std::vector<const ClusterSpec::Job*>& jobs, bool is_asked_for) {
  const auto is_unranked = [](const ClusterSpec::Job* job) { return has_no_rank(job->name) && !job->tasks.empty(); };
  const auto found = std::find_if(jobs.begin(), jobs.end(), is_unranked);
  if (is_asked_for || found == jobs.end()) return Result<void>();
  std::string others;
  for (const ClusterSpec::Job* job : jobs) {
    if (!has_no_rank(job->name) && others.size() < 200) others += (others.empty() ? "" : ",") + printable(job->name, 80);
  }
  return Failure(Errc::failed_precondition, fmt::format("tasks of job {} have no rank in this form", quoted((*found)->name, 80)))
      .with_hint("say which jobs take part: --job " + (others.empty() ? std::string("worker") : others));
}

Result<void> check_holes(const ClusterSpec::Job& job) {
  if (job.tasks.empty() || ClusterSpec::is_dense(job.tasks)) return Result<void>();
  int missing = 0;
  while (job.tasks.contains(missing)) ++missing;
  return Failure(Errc::failed_precondition, fmt::format("job {} has no task {}, but a task {}: ranks must have no hole",
                                                        quoted(job.name, 80), missing, job.tasks.rbegin()->first));
}

bool is_no_address(std::string_view host) {
  const std::optional<IpBytes> ip = read_ip(host);
  return ip && (ip == read_ip("0.0.0.0") || ip == read_ip("::"));
}

Result<void> check_hosts(const std::vector<Rank>& ranks, const LaunchFacts& facts) {
  TaskAddressBook addresses(facts.same_address_hint);
  const Rank* everywhere = nullptr;
  const Rank* elsewhere = nullptr;
  for (const Rank& rank : ranks) {
    const auto named = [](const Rank& one) { return fmt::format("{} {}", printable(one.job, 80), one.index); };
    const std::string& host = rank.endpoint.host;
    if (!is_plain_host(host)) {
      return Failure(Errc::invalid_argument,
                     fmt::format("the host of {} is {}: launchers take IP addresses and host names of letters, digits, "
                                 "hyphens, dots and underscores",
                                 named(rank), quoted(host, 80)));
    }
    if (is_no_address(host))
      return Failure(Errc::invalid_argument, fmt::format("the host of {} is {}, which is no machine's address", named(rank), host));
    if (const Result<void> is_its_own = addresses.add(rank.job, rank.index, rank.endpoint); !is_its_own) return is_its_own;
    (is_loopback(host) ? everywhere : elsewhere) = &rank;
    if (!everywhere || !elsewhere) continue;
    return Failure(Errc::invalid_argument, fmt::format("{} is at {}, which every host is to itself, and {} is at {}", named(*everywhere),
                                                       everywhere->endpoint.to_text(), named(*elsewhere), elsewhere->endpoint.to_text()));
  }
  return Result<void>();
}

void number_hosts(std::vector<Rank>& ranks) {
  std::map<HostIdentity, int> hosts;
  std::vector<int> tasks;  // so far, for each host
  for (Rank& rank : ranks) {
    rank.host = hosts.try_emplace(HostIdentity(rank.endpoint.host), static_cast<int>(hosts.size())).first->second;
    tasks.resize(hosts.size());
    rank.local_rank = tasks[static_cast<std::size_t>(rank.host)]++;
  }
  for (Rank& rank : ranks) rank.local_size = tasks[static_cast<std::size_t>(rank.host)];
}

Failure no_tasks() { return Failure(Errc::not_ready, "the cluster has no tasks"); }

Result<std::vector<Rank>> members_in(const LaunchFacts& facts, const std::vector<const ClusterSpec::Job*>& jobs) {
  const MemberTable table(facts.members);
  std::vector<Rank> ranks;
  for (const ClusterSpec::Job* job : jobs) {
    for (const auto& [index, address] : job->tasks) {
      Result<Endpoint> endpoint = Endpoint::parse(address);
      if (!endpoint)
        return Failure(Errc::invalid_argument, fmt::format("{} {}: {}", printable(job->name, 80), index, endpoint.error().message()));
      Rank& rank = ranks.emplace_back();
      rank.rank = static_cast<int>(ranks.size()) - 1;
      rank.job = job->name;
      rank.index = index;
      rank.endpoint = std::move(*endpoint);
      rank.member = table.find(job->name, index);
    }
  }
  const Result<void> checked = check_hosts(ranks, facts);
  if (!checked) return checked.error();
  number_hosts(ranks);
  return ranks;
}

// The tasks that have a rank; indices may have holes.
Result<std::vector<Rank>> ranks_in(const LaunchFacts& facts) {
  const Result<std::vector<const ClusterSpec::Job*>> jobs = jobs_of(facts);
  if (!jobs) return jobs.error();
  const Result<void> checked = check_kind(*jobs, !facts.jobs.empty());
  if (!checked) return checked.error();
  if (facts.accelerators_per_host.value_or(0) < 0)
    return Failure(Errc::invalid_argument, fmt::format("a host cannot have {} accelerators", *facts.accelerators_per_host));
  if (facts.coordinator_port == 0)
    return Failure(Errc::invalid_argument, "the coordinator cannot listen at port 0: others would not find it");
  return members_in(facts, *jobs);
}

// A list of some parts of a job is no cluster to rank over: each part would count from 0.
Result<void> check_parts(const LaunchFacts& facts) {
  const MemberPart* first = nullptr;
  std::set<int> listed;
  for (const Member& member : facts.members) {
    const bool is_chosen = facts.jobs.empty() || std::find(facts.jobs.begin(), facts.jobs.end(), member.job) != facts.jobs.end();
    if (!is_chosen || !member.part || member.part->count <= 1) continue;
    if (!first) first = &*member.part;
    if (member.part->kind == first->kind && member.part->count == first->count) listed.insert(member.part->index);
  }
  if (!first || static_cast<int>(listed.size()) >= first->count) return Result<void>();
  const std::string kind = printable(first->kind, 40);
  return Failure(Errc::failed_precondition,
                 listed.size() == 1
                     ? fmt::format("the cluster is {} {} of {}, and the hosts of the others are not known: ranks count over all", kind,
                                   first->index, first->count)
                     : fmt::format("the cluster has {} of {} {}s, and the hosts of the others are not known: ranks count over all",
                                   listed.size(), first->count, kind))
      .with_hint(
          "name a target that lists all of them, such as kubernetes:NAMESPACE/KIND/NAME or tpu:qr/NAME, or the hosts: "
          "simple:job.worker=A+B");
}

// inet_aton() parses `127.1`, `2130706433` and `0x7f.1` as addresses: a host whose last part is a number is not a name.
bool ends_in_number(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::string_view last = host.substr(host.rfind('.') + 1);
  const bool is_hex = last.starts_with("0x") || last.starts_with("0X");
  return std::all_of(last.begin() + (is_hex ? 2 : 0), last.end(), [is_hex](char c) { return is_hex ? hex_value(c) >= 0 : is_digit(c); });
}

}  // namespace

Result<ClusterSpec> chosen_cluster(const LaunchFacts& facts) {
  if (facts.jobs.empty()) return facts.spec;
  const Result<std::vector<const ClusterSpec::Job*>> jobs = jobs_of(facts);
  if (!jobs) return jobs.error();
  ClusterSpec chosen;
  for (const ClusterSpec::Job* job : *jobs) {
    const Result<void> set = chosen.set_job(job->name, job->tasks);
    if (!set) return set.error();
  }
  return chosen;
}

bool is_plain_host(std::string_view host) {
  if (host.empty() || host.size() > 253) return false;
  if (host.find(':') != std::string_view::npos) return is_ipv6_literal(host, false);
  const bool is_word = std::all_of(host.begin(), host.end(), [](char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_'; });
  return is_word && is_alnum(host.front()) && (is_ipv4_literal(host) || !ends_in_number(host));
}

Result<std::vector<Rank>> members_of(const LaunchFacts& facts) {
  const Result<std::vector<const ClusterSpec::Job*>> jobs = jobs_of(facts);
  if (!jobs) return jobs.error();
  Result<std::vector<Rank>> members = members_in(facts, *jobs);
  if (members && members->empty()) return no_tasks();
  return members;
}

Result<std::vector<Rank>> tasks_of(const LaunchFacts& facts) {
  if (const Result<void> checked = check_parts(facts); !checked) return checked.error();
  return ranks_in(facts);
}

Result<std::vector<Rank>> ranks_of(const LaunchFacts& facts, RankScope scope) {
  if (scope == RankScope::whole) {
    if (const Result<void> checked = check_parts(facts); !checked) return checked.error();
  }
  Result<std::vector<Rank>> ranks = ranks_in(facts);
  if (!ranks) return ranks;
  const Result<std::vector<const ClusterSpec::Job*>> jobs = jobs_of(facts);
  for (const ClusterSpec::Job* job : *jobs) {
    const Result<void> checked = check_holes(*job);
    if (!checked) return checked.error();
  }
  if (ranks->empty()) return no_tasks();
  return ranks;
}

Result<Rank> own_rank(const std::vector<Rank>& ranks, const LaunchFacts& facts) {
  if (!facts.task) {
    return Failure(Errc::failed_precondition, "it is not known which task of the cluster this host is")
        .with_hint("say so: --task worker:3");
  }
  const auto found = std::find_if(ranks.begin(), ranks.end(),
                                  [&facts](const Rank& one) { return one.job == facts.task->job && one.index == facts.task->index; });
  if (found != ranks.end()) return *found;
  return Failure(Errc::not_found, fmt::format("{} {} is none of the {} tasks that take part", printable(facts.task->job, 80),
                                              facts.task->index, ranks.size()));
}

std::string job_id_of(const std::vector<Rank>& ranks, const LaunchFacts& facts) {
  if (!facts.job_id.empty()) return facts.job_id;
  std::string all = facts.run;
  if (!all.empty()) all += "\n";
  for (const Rank& rank : ranks) all += rank.endpoint.to_text() + "\n";
  return fmt::format("{:016x}", hash_of(all));
}

Result<Endpoint> coordinator_of(const std::vector<Rank>& ranks, const LaunchFacts& facts, std::uint16_t usual_port) {
  Endpoint first = ranks.front().endpoint;
  if (facts.coordinator_port) {
    first.port = facts.coordinator_port;
  } else if (facts.port_rule == CoordinatorPort::usual) {
    first.port = usual_port;
  } else if (facts.port_rule == CoordinatorPort::derived) {
    first.port = static_cast<std::uint16_t>(61440 + hash_of(job_id_of(ranks, facts)) % 4096);
  } else if (!first.port) {
    return Failure(Errc::failed_precondition, fmt::format("{} {} has an address without a port, {}", printable(ranks.front().job, 80),
                                                          ranks.front().index, first.host))
        .with_hint("name the coordinator's port: --coordinator-port 29500");
  }
  const auto owner = std::find_if(ranks.begin() + 1, ranks.end(),
                                  [&](const Rank& one) { return one.host == ranks.front().host && one.endpoint.port == first.port; });
  if (owner == ranks.end()) return first;
  return Failure(Errc::invalid_argument, fmt::format("the coordinator's address would be {}, which is that of {} {}", first.to_text(),
                                                     printable(owner->job, 80), owner->index))
      .with_hint("choose another port: --coordinator-port 29511");
}

Result<LaunchPlace> place_in(const LaunchFacts& facts, std::uint16_t usual_port) {
  LaunchPlace place;
  Result<std::vector<Rank>> ranks = ranks_of(facts);
  if (!ranks) return ranks.error();
  place.ranks = std::move(*ranks);
  Result<Rank> own = own_rank(place.ranks, facts);
  if (!own) return own.error();
  place.own = std::move(*own);
  Result<Endpoint> coordinator = coordinator_of(place.ranks, facts, usual_port);
  if (!coordinator) return coordinator.error();
  place.coordinator = std::move(*coordinator);
  return place;
}

Result<LaunchCoordinator> coordinator_for(const LaunchFacts& facts, std::uint16_t usual_port) {
  const Result<std::vector<Rank>> ranks = ranks_of(facts);
  if (!ranks) return ranks.error();
  Result<Endpoint> endpoint = coordinator_of(*ranks, facts, usual_port);
  if (!endpoint) return endpoint.error();
  if (!facts.task) return LaunchCoordinator(std::move(*endpoint), false);
  const Result<Rank> own = own_rank(*ranks, facts);
  if (!own) return own.error();
  return LaunchCoordinator(std::move(*endpoint), own->host == 0);
}

}  // namespace rollcall
