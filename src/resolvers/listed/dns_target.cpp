#include <fmt/format.h>

#include "base/text.hpp"
#include "resolvers/target_keys.hpp"
#include "rollcall/dns_resolver.hpp"

namespace rollcall {
namespace {

constexpr TargetWord<DnsFamily> dns_families[] = {
    {"one", DnsFamily::one}, {"v4", DnsFamily::v4}, {"v6", DnsFamily::v6}, {"both", DnsFamily::both}};

// clang-format off
constexpr TargetKeys dns_keys(
    port_key("port", &DnsOptions::port, "of names without one; default: 8470"),
    text_key("job", &DnsOptions::job, "default: worker"),
    word_key("family", &DnsOptions::family, dns_families, "is not one, v4, v6 or both", "one (default: IPv4, else IPv6), v4, v6 or both"),
    flag_key("srv", &DnsOptions::srv, "true: ask for services; default: for names that begin with _"),
    flag_key("wait", &DnsOptions::wait, "true: until there is an answer, or the deadline; default: false"),
    text_key("type", &DnsOptions::task_type, "this task's job"),
    task_key("task", &DnsOptions::task_id, "this task's index"),
    text_key("rpc_layer", &DnsOptions::rpc_layer, "such as grpc"));
// clang-format on

// No name server can be asked for such a name, so that waiting would not help. Empty: it can be asked for.
std::string_view why_no_dns_name(std::string_view host) {
  constexpr std::size_t max_label = 63;
  if (host.ends_with('.')) host.remove_suffix(1);
  for (const std::string_view label : split(host, '.')) {
    if (label.empty()) return "a part between its dots is empty";
    if (label.size() > max_label && label.find(':') == std::string_view::npos) return "a part between its dots has more than 63 bytes";
  }
  return {};
}

Result<std::vector<Endpoint>> read_dns_names(std::string_view body) {
  std::vector<Endpoint> names;
  for (const std::string_view text : split(body, ',')) {
    const Result<Endpoint> name = Endpoint::parse(text);
    if (!name)
      return Failure(Errc::invalid_argument, fmt::format("dns: {} is neither NAME nor NAME:PORT", quoted(text, 80)))
          .with_hint("dns:trainer.default.svc.cluster.local:8470");
    if (name->host.size() > 255) return Failure(Errc::invalid_argument, "dns: a name has at most 255 bytes");
    const std::string_view why = why_no_dns_name(name->host);
    if (!why.empty()) return Failure(Errc::invalid_argument, fmt::format("dns: {} is no name: {}", quoted(name->host, 80), why));
    names.push_back(*name);
  }
  return names;
}

Result<std::shared_ptr<ClusterResolver>> make_dns(Runtime runtime, const Target& target) {
  Result<std::vector<Endpoint>> names = read_dns_names(target.body);
  if (!names) return names.error();
  DnsOptions options(*std::move(names));
  if (const Result<void> set = dns_keys.set(target, options); !set) return set.error();
  return make_dns_resolver(std::move(runtime), std::move(options));
}

}  // namespace

extern const SchemeRules dns_rules;
extern const TargetScheme dns_scheme;
constexpr TargetScheme dns_scheme = {
    .name = "dns",
    .synopsis = "dns:NAME[:PORT][,NAME…][,port=P]…",
    .summary = "the addresses of names, such as a headless service; _SERVICE._tcp.NAME: hosts and ports by SRV",
    .example = "dns:trainer.default.svc.cluster.local,port=8470",
    .keys = dns_keys.names,
    .keeps_empty_rpc_layer = true,
    .make = make_dns,
    .rules = &dns_rules,
};

}  // namespace rollcall
