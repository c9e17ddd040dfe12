#include <fmt/format.h>

#include "base/text.hpp"
#include "resolvers/target_schemes.hpp"
#include "rollcall/dns_resolver.hpp"

namespace rollcall {
namespace {

constexpr TargetKey dns_keys[] = {
    {"port", "of names without one; default: 8470"},
    {"job", "default: worker"},
    {"family", "one (default: IPv4, else IPv6), v4, v6 or both"},
    {"srv", "true: ask for services; default: for names that begin with _"},
    {"wait", "true: until there is an answer, or the deadline; default: false"},
    {"type", "this task's job"},
    {"task", "this task's index"},
    {"rpc_layer", "such as grpc"},
};

constexpr TargetWord<DnsFamily> dns_families[] = {
    {"one", DnsFamily::one},
    {"v4", DnsFamily::v4},
    {"v6", DnsFamily::v6},
    {"both", DnsFamily::both},
};

Result<std::vector<Endpoint>> read_dns_names(std::string_view body) {
  std::vector<Endpoint> names;
  for (const std::string_view text : split(body, ',')) {
    const Result<Endpoint> name = Endpoint::parse(text);
    if (!name)
      return Failure(Errc::invalid_argument, fmt::format("dns: {} is neither NAME nor NAME:PORT", quoted(text, 80)))
          .with_hint("dns:trainer.default.svc.cluster.local:8470");
    if (name->host.size() > 255) return Failure(Errc::invalid_argument, "dns: a name has at most 255 bytes");
    names.push_back(*name);
  }
  return names;
}

Result<void> read_dns_flags(const Target& target, DnsOptions& options) {
  const Result<std::optional<bool>> srv = flag_option(target, "srv");
  const Result<std::optional<bool>> wait = flag_option(target, "wait");
  if (!srv) return srv.error();
  if (!wait) return wait.error();
  if (*srv) options.srv(**srv);
  if (*wait) options.wait(**wait);
  return word_option(target, "family", dns_families, options, &DnsOptions::family, "is not one, v4, v6 or both");
}

Result<std::shared_ptr<ClusterResolver>> make_dns(Runtime runtime, const Target& target) {
  const Result<std::vector<Endpoint>> names = read_dns_names(target.body);
  if (!names) return names.error();
  DnsOptions options(*names);
  const Result<void> flags = read_dns_flags(target, options);
  const Result<std::optional<std::uint16_t>> port = port_option(target);
  const Result<std::optional<int>> task = task_option(target);
  if (!flags) return flags.error();
  if (!port) return port.error();
  if (!task) return task.error();
  if (*port) options.port(**port);
  if (*task) options.task_id(**task);
  if (const auto v = target.get("job")) options.job(*v);
  if (const auto v = target.get("type")) options.task_type(*v);
  if (const auto v = target.get("rpc_layer")) options.rpc_layer(*v);
  return std::shared_ptr<ClusterResolver>(make_dns_resolver(std::move(runtime), std::move(options)));
}

}  // namespace

extern const TargetScheme dns_scheme;
constexpr TargetScheme dns_scheme = {
    .name = "dns",
    .synopsis = "dns:NAME[:PORT][,NAME…][,port=P]…",
    .summary = "the addresses of names, such as a headless service; _SERVICE._tcp.NAME: hosts and ports by SRV",
    .example = "dns:trainer.default.svc.cluster.local,port=8470",
    .keys = dns_keys,
    .make = make_dns,
};

}  // namespace rollcall
