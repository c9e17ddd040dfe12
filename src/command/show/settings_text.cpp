#include "command/show/settings_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/duration.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"

namespace rollcall::command {
namespace {

std::string clients_text(const FleetClients& clients) {
  std::string_view method;
  switch (clients.method) {
    case FleetClients::Method::certificate: method = "certificate"; break;
    case FleetClients::Method::kubernetes: method = clients.reviews ? "kubernetes, each token reviewed" : "kubernetes"; break;
    case FleetClients::Method::google: method = "google"; break;
  }
  return clients.as.empty() ? std::string(method) : fmt::format("{} ({})", clients.as, method);
}

std::string place_text(const FleetPlace& place) {
  if (place.kind == FleetPlace::Kind::kubernetes) {
    const std::string where =
        place.namespaces == std::vector<std::string>{"-"} ? "all namespaces" : fmt::format("{}", fmt::join(place.namespaces, ", "));
    return fmt::format("jobs in {}{}", where, place.context.empty() ? "" : " of " + place.context);
  }
  if (place.kind == FleetPlace::Kind::slurm) {
    std::string text = "Slurm jobs" + (place.cluster.empty() ? "" : " of " + place.cluster);
    if (!place.users.empty()) text += fmt::format(", users {}", fmt::join(place.users, ", "));
    if (!place.partitions.empty()) text += fmt::format(", partitions {}", fmt::join(place.partitions, ", "));
    return text;
  }
  return fmt::format("{} of {} in {}", place.kind == FleetPlace::Kind::tpu ? "TPUs" : "instance groups", place.project,
                     place.zones.empty() ? "all zones" : fmt::format("{}", fmt::join(place.zones, ", ")));
}

std::string slurm_text(const FleetSlurm& slurm) {
  std::string text = slurm.cluster.empty() ? std::string() : slurm.cluster + " by ";
  text += slurm.restd.empty() ? "its programs" : printable(slurm.restd, 200);
  if (!slurm.token_file.empty()) text += ", token " + path_text(slurm.token_file);
  return text;
}

std::string right_text(const FleetRight& right) {
  std::string what = fmt::format("{}", fmt::join(right.read, " "));
  if (right.metrics) what += what.empty() ? "metrics" : " and metrics";
  std::string text = what.empty() && right.barrier ? right.who : fmt::format("{} reads {}", right.who, what);
  if (right.barrier) text += what.empty() ? " waits at barriers" : ", waits at barriers";
  return text;
}

std::string lease_text(const FleetLease& lease) {
  std::string out;
  if (lease.engine == FleetLease::Engine::kubernetes) {
    const std::string where = lease.namespace_name.empty() ? "the service's own namespace" : "namespace " + lease.namespace_name;
    out = fmt::format("Lease {} in {}{}", lease.name, where, lease.context.empty() ? "" : " of " + lease.context);
  } else {
    out = fmt::format("etcd at {}, fleet {}{}{}", fmt::join(lease.etcd, " "), lease.fleet, lease.user.empty() ? "" : ", as " + lease.user,
                      lease.certificate_file.empty() ? "" : ", with the certificate " + path_text(lease.certificate_file));
  }
  out += ", for " + duration_text(lease.ttl);
  if (!lease.serves_at.empty()) out += ", reached at " + lease.serves_at;
  return out;
}

template <class Items, class Text>
std::string list_text(const Items& items, Text text) {
  std::vector<std::string> parts;
  for (const auto& item : items) parts.push_back(text(item));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::string settings_text(const FleetServiceOptions& options) {
  const FleetTls& tls = options.tls;
  std::string out = fmt::format("listen   {}, {}\n", fmt::join(options.listen, ", "), tls.certificate_file.empty() ? "http" : "https");
  if (!options.xds_listen.empty()) out += fmt::format("xds      {}, gRPC\n", fmt::join(options.xds_listen, ", "));
  if (!tls.certificate_file.empty()) {
    out += fmt::format("tls      {}{}{}\n", path_text(tls.certificate_file), tls.key_file.empty() ? "" : ", key " + path_text(tls.key_file),
                       tls.client_authorities_file.empty() ? "" : ", clients' certificates by " + path_text(tls.client_authorities_file));
  }
  if (options.lease.engine != FleetLease::Engine::none) out += fmt::format("lease    {}\n", lease_text(options.lease));
  out += fmt::format("clients  {}\n", options.clients.empty() ? "not distinguished" : list_text(options.clients, clients_text));
  if (!options.rights.empty()) out += fmt::format("rights   {}\n", list_text(options.rights, right_text));
  if (!options.slurm.empty()) out += fmt::format("slurm    {}\n", list_text(options.slurm, slurm_text));
  if (!options.follow.empty()) out += fmt::format("follow   {}\n", list_text(options.follow, place_text));
  const std::string_view by_default = options.clients.empty() ? "every target" : options.follow.empty() ? "no target" : "what is followed";
  out += fmt::format("allow    {}\n", options.allow.empty() ? by_default : fmt::format("{}", fmt::join(options.allow, " ")));
  const FleetBounds& bounds = options.bounds;
  out += fmt::format(
      "limits   {} followers, {} targets; of a client {} streams, {} requests a second ({} at once), {} unknown targets an hour\n",
      bounds.followers, bounds.targets, bounds.streams_a_client, bounds.requests_a_second, bounds.burst, bounds.unknown_targets_an_hour);
  if (!options.polls_per_minute.empty()) {
    const auto text = [](const auto& entry) { return fmt::format("{} {}", entry.first, entry.second); };
    out += fmt::format("quota    {} looks a minute\n", list_text(options.polls_per_minute, text));
  }
  return out;
}

std::string changed_settings(const FleetServiceOptions& before, const FleetServiceOptions& now) {
  std::vector<std::string_view> parts;
  if (before.listen != now.listen) parts.push_back("listen");
  if (before.xds_listen != now.xds_listen) parts.push_back("xds");
  if (before.tls != now.tls) parts.push_back("tls");
  if (before.lease != now.lease) parts.push_back("lease");
  if (before.follow != now.follow) parts.push_back("follow");
  if (before.allow != now.allow) parts.push_back("allow");
  if (before.clients != now.clients) parts.push_back("clients");
  if (before.rights != now.rights) parts.push_back("rights");
  if (before.bounds != now.bounds) parts.push_back("limits");
  if (before.polls_per_minute != now.polls_per_minute) parts.push_back("quota");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace rollcall::command
