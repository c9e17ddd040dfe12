#include <fmt/format.h>

#include <map>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "resolvers/auto/auto_cluster.hpp"
#include "resolvers/auto/auto_survey.hpp"
#include "rollcall/endpoint.hpp"
#include "whoami/own_index.hpp"

namespace rollcall {
namespace {

// True: the host is an address, and this machine's is another.
bool is_elsewhere(const std::string& host, const std::vector<Claim>& own) {
  const Result<Endpoint> endpoint = Endpoint::parse(host);
  if (!endpoint || !read_ip(endpoint->host) || is_near_host(endpoint->host)) return false;
  bool is_other = false;
  for (const Claim& claim : own) {
    if (HostIdentity(claim.text) == HostIdentity(endpoint->host)) return false;
    is_other = is_other || read_ip(claim.text);
  }
  return is_other;
}

}  // namespace

Candidates worker_candidates(const TpuHosts& workers) {
  Candidates candidates;
  candidates.from = workers.from;
  candidates.noun = "worker ";
  for (std::size_t i = 0; i < workers.hosts.size(); ++i) {
    Candidate& worker = candidates.list.emplace_back();
    worker.label = std::to_string(i);
    if (i < workers.names.size() && workers.names[i] != workers.hosts[i]) worker.hosts.push_back(workers.names[i]);
    worker.hosts.push_back(workers.hosts[i]);
  }
  return candidates;
}

Failure of_auto(Failure failure) {
  failure.with_what("auto: " + failure.what());
  return failure;
}

Failure with_task_hint(Failure failure) { return of_auto(std::move(failure)).with_hint("give the right one: auto:task=N"); }

Result<void> check_hosts_differ(const TpuHosts& workers) {
  std::map<std::string, std::size_t> seen;  // host names are not case-sensitive
  for (std::size_t i = 0; i < workers.hosts.size(); ++i) {
    const auto [entry, is_new] = seen.emplace(to_lower(workers.hosts[i]), i);
    if (is_new) continue;
    return Failure(Errc::conflict, fmt::format("auto: {} lists {} twice, as worker {} and worker {}", workers.from,
                                               quoted(workers.hosts[i], 80), entry->second, i));
  }
  return {};
}

Result<int> settle_worker_id(const TpuHosts& workers, const std::vector<Claim>& ids, const std::vector<Claim>& own) {
  if (const Result<void> fine = check_hosts_differ(workers); !fine) return fine.error();
  const OwnIndex index(worker_candidates(workers), own);
  const auto fail = [&index](Errc code, const std::string& what) { return with_task_hint(index.fail(code, what)); };
  std::vector<PlacedClaim> claims;
  std::string silent;
  for (const Claim& claim : ids) {
    silent += (silent.empty() ? "" : ", ") + claim.source;
    if (trim(claim.text).empty()) continue;
    const std::optional<int> number = parse_decimal<int>(trim(claim.text));
    if (!number) return fail(Errc::invalid_argument, fmt::format("{} is {}, no worker id", claim.source, quoted(claim.text, 80)));
    const auto place = static_cast<std::size_t>(*number);
    if (place >= workers.hosts.size()) {
      return fail(Errc::invalid_argument, fmt::format("{} is {}, but {} has {} host{}", claim.source, *number, workers.from,
                                                      workers.hosts.size(), workers.hosts.size() == 1 ? "" : "s"));
    }
    claims.emplace_back(claim.source, fmt::format("{}={}", claim.source, *number), place);
  }
  if (claims.empty() && workers.hosts.size() == 1 && !is_elsewhere(workers.hosts.front(), own)) return 0;
  if (claims.empty()) return fail(Errc::failed_precondition, fmt::format("this worker's id is not known: {} says nothing", silent));
  const Result<SettledIndex> settled = index.settle(claims);
  if (!settled) return with_task_hint(settled.error());
  return static_cast<int>(settled->place);
}

Result<int> own_pod(const ClusterSpec& spec, const Environment& environment, std::optional<int> given, std::size_t max) {
  TpuHosts pods;
  pods.from = "the job " + job_of_pod(environment);
  for (const ClusterSpec::Job& job : spec.job_list()) {
    for (const auto& [index, address] : job.tasks) pods.hosts.push_back(address);
  }
  if (pods.hosts.empty()) return Failure(Errc::not_ready, fmt::format("auto: {} has no pods", pods.from));
  std::vector<Claim> ids;
  if (given) {
    ids.emplace_back("task", std::to_string(*given));
  } else {
    Result<std::vector<Claim>> others = trainer_claims(environment, pods.hosts.size(), max);
    if (!others) return others.error();
    ids = *std::move(others);
    ids.emplace(ids.begin(), "JOB_COMPLETION_INDEX", environment.get("JOB_COMPLETION_INDEX").value_or(""));
  }
  return settle_worker_id(pods, ids, {});
}

}  // namespace rollcall
