#include "resolvers/auto/auto_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ip.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

// `job-0-1.service.namespace` and `job-0-1` are one host; addresses are not cut.
std::string_view short_name(std::string_view host) {
  if (is_ipv4_literal(host) || is_ipv6_literal(host, true)) return host;
  return host.substr(0, host.find('.'));
}

bool is_same_host(std::string_view listed, std::string_view own) {
  const bool both_full = listed.find('.') != std::string_view::npos && own.find('.') != std::string_view::npos;
  if (both_full && equals_ignoring_case(listed, own)) return true;
  return equals_ignoring_case(short_name(listed), short_name(own));
}

std::vector<int> ids_of(const TpuHosts& workers, const std::string& own) {
  std::vector<int> ids;
  for (std::size_t i = 0; i < workers.hosts.size(); ++i) {
    const bool is_named = i < workers.names.size() && is_same_host(workers.names[i], own);
    if (is_named || is_same_host(workers.hosts[i], own)) ids.push_back(static_cast<int>(i));
  }
  return ids;
}

std::string candidates_text(const TpuHosts& workers, const std::vector<WorkerClaim>& own) {
  constexpr std::size_t most_shown = 8;
  std::string text = fmt::format("the candidates of {} are", workers.from);
  for (std::size_t i = 0; i < std::min(workers.hosts.size(), most_shown); ++i) {
    const bool has_name = i < workers.names.size() && workers.names[i] != workers.hosts[i];
    text += fmt::format("{} {} ({}{}{})", i == 0 ? "" : ",", i, has_name ? workers.names[i] : "", has_name ? ", " : "", workers.hosts[i]);
  }
  if (workers.hosts.size() > most_shown) text += fmt::format(" and {} more", workers.hosts.size() - most_shown);
  std::string self;
  for (const WorkerClaim& name : own) {
    if (name.text.empty()) continue;
    const std::vector<int> ids = ids_of(workers, name.text);
    self += fmt::format("{}{} by {}", self.empty() ? "; this host is " : ", ", printable(name.text, 80), name.source);
    self += ids.size() == 1 ? fmt::format(", candidate {}", ids.front()) : std::string(", none of them");
  }
  return text + (self.empty() ? "; nothing says what this host is called" : self);
}

}  // namespace

Result<void> check_hosts_differ(const TpuHosts& workers) {
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < workers.hosts.size(); ++i) {
    const auto [entry, is_new] = seen.emplace(workers.hosts[i], i);
    if (is_new) continue;
    return Failure(Errc::conflict, fmt::format("auto: {} lists {} twice, as worker {} and worker {}", workers.from,
                                               quoted(workers.hosts[i], 80), entry->second, i));
  }
  return {};
}

Result<int> settle_worker_id(const TpuHosts& workers, const std::vector<WorkerClaim>& ids, const std::vector<WorkerClaim>& own) {
  const auto fail = [&](Errc code, const std::string& what) {
    return Failure(code, fmt::format("auto: {}; {}", what, candidates_text(workers, own))).with_hint("give the right one: auto:task=N");
  };
  if (const Result<void> fine = check_hosts_differ(workers); !fine) return fine.error();
  const WorkerClaim* first = nullptr;
  int id = 0;
  std::string silent;
  for (const WorkerClaim& claim : ids) {
    silent += (silent.empty() ? "" : ", ") + claim.source;
    if (trim(claim.text).empty()) continue;
    const std::optional<int> number = parse_decimal<int>(trim(claim.text));
    if (!number) return fail(Errc::invalid_argument, fmt::format("{} is {}, no worker id", claim.source, quoted(claim.text, 80)));
    if (static_cast<std::size_t>(*number) >= workers.hosts.size()) {
      return fail(Errc::invalid_argument, fmt::format("{} is {}, but {} has {} host{}", claim.source, *number, workers.from,
                                                      workers.hosts.size(), workers.hosts.size() == 1 ? "" : "s"));
    }
    if (first && id != *number)
      return fail(Errc::conflict, fmt::format("{} says {}, but {} says {}", first->source, id, claim.source, *number));
    first = first ? first : &claim;
    id = *number;
  }
  if (!first) return fail(Errc::failed_precondition, fmt::format("this worker's id is not known: {} says nothing", silent));
  for (const WorkerClaim& name : own) {
    if (name.text.empty()) continue;
    const std::vector<int> same = ids_of(workers, name.text);
    if (same.size() == 1 && same.front() != id) {
      return fail(Errc::conflict, fmt::format("{} says {}, but {} is {}, which is worker {}", first->source, id, name.source,
                                              quoted(name.text, 80), same.front()));
    }
  }
  return id;
}

}  // namespace rollcall
