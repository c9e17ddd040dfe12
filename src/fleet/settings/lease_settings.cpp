#include "fleet/settings/lease_settings.hpp"

#include <fmt/format.h>

#include <functional>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "lease/etcd_lease.hpp"
#include "lease/kubernetes_lease.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall::fleet {
namespace {

using Lookup = std::function<std::optional<std::string>(const std::string&)>;

// `${NAME}` becomes the variable's value, an IPv6 address with brackets.
Result<std::string> with_variables(std::string_view text, const Lookup& value_of) {
  std::string out;
  while (!text.empty()) {
    const std::size_t start = text.find('$');
    out += text.substr(0, start);
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    const std::size_t end = text.find('}');
    if (!text.starts_with("${") || end == std::string_view::npos || end == 2)
      return Failure(Errc::invalid_argument, "has a $ that begins no ${NAME} of an environment variable");
    const std::string name(text.substr(2, end - 2));
    const std::optional<std::string> value = value_of(name);
    if (!value || value->empty())
      return Failure(Errc::invalid_argument, fmt::format("names the environment variable {}, which is not set", quoted(name, 80)));
    out += is_ipv6_literal(*value, true) ? '[' + *value + ']' : *value;
    text.remove_prefix(end + 1);
  }
  return out;
}

Result<void> check_serving_url(const std::string& text) {
  const Result<Url> url = Url::parse(text);
  if (url && url->target == "/" && text.find('?') == std::string::npos) return Result<void>();
  return Failure(Errc::invalid_argument,
                 fmt::format("{} is no URL of a service: expected one such as https://${{POD_IP}}:7070", quoted(text, 120)));
}

std::string with_hint(const Failure& failure) {
  return failure.hint().empty() ? failure.what() : fmt::format("{}; {}", failure.what(), failure.hint());
}

}  // namespace

std::vector<OptionFault> lease_faults(const FleetLease& lease, bool is_https) {
  std::vector<OptionFault> faults;
  if (lease.engine == FleetLease::Engine::none) {
    if (lease != FleetLease()) faults.emplace_back("lease", "names no engine: {kubernetes: {}}, or {etcd: [\"https://etcd-0:2379\"]}");
    return faults;
  }
  const Result<std::shared_ptr<lease::LeaseEngine>> made = make_lease_engine(lease);
  const bool is_cluster = lease.engine == FleetLease::Engine::kubernetes;
  const std::string_view place = is_cluster ? "lease.kubernetes" : lease::is_fleet_name(lease.fleet) ? "lease" : "lease.fleet";
  if (!made) faults.emplace_back(std::string(place), with_hint(made.error()));
  const bool is_whole = lease.ttl % std::chrono::seconds(1) == Duration(0);
  if (lease.ttl < lease::min_ttl || lease.ttl > lease::max_ttl || !is_whole)
    faults.emplace_back("lease.ttl", "is no time of a lease: whole seconds from 5s to 5m are accepted");
  if (lease.serves_at.empty()) return faults;
  const Result<std::string> url = with_variables(lease.serves_at, [](const std::string&) { return "x"; });
  Result<void> fine;
  if (url) fine = check_serving_url(*url);
  if (!url || !fine) {
    faults.emplace_back("lease.serves_at", url ? fine.error().what() : url.error().what());
  } else if (url->starts_with("https:") != is_https) {
    faults.emplace_back("lease.serves_at", fmt::format("begins with {}, and the service speaks {}", is_https ? "http" : "https",
                                                       is_https ? "TLS" : "plain HTTP: it has no tls"));
  }
  return faults;
}

Result<std::shared_ptr<lease::LeaseEngine>> make_lease_engine(const FleetLease& lease) {
  if (lease.engine == FleetLease::Engine::kubernetes) {
    lease::KubernetesLeaseOptions options;
    options.namespace_name = lease.namespace_name;
    options.name = lease.name;
    options.context = lease.context;
    return lease::make_kubernetes_lease(std::move(options));
  }
  lease::EtcdLeaseOptions options;
  options.endpoints = lease.etcd;
  options.fleet = lease.fleet;
  options.files.authorities = lease.authorities_file;
  options.files.certificate = lease.certificate_file;
  options.files.key = lease.key_file;
  options.user = lease.user;
  options.password_file = lease.password_file;
  return lease::make_etcd_lease(std::move(options));
}

Result<std::string> serving_url(const FleetLease& lease, const Environment& environment) {
  Result<std::string> url = with_variables(lease.serves_at, [&environment](const std::string& name) { return environment.get(name); });
  if (url && !url->empty()) {
    if (const Result<void> fine = check_serving_url(*url); !fine) url = fine.error();
  }
  if (url) return url;
  Failure failure = url.error();
  failure.with_what(fmt::format("lease.serves_at {}", failure.what()));
  return failure;
}

}  // namespace rollcall::fleet
