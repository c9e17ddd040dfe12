#include "resolvers/gce/gce_api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/order.hpp"
#include "base/text.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

Result<std::uint16_t> member_port(const GcePlan& plan, const GceOptions& options, const GceInstance& one) {
  if (options.named_port().empty()) return *options.port();
  std::string known;
  for (const auto& [name, number] : one.member.named_ports) {
    if (name == options.named_port()) {
      if (const auto port = parse_decimal<std::uint16_t>(number, 1)) return *port;
      return Failure(Errc::malformed_response, fmt::format("{}: the port named {} is {}, not a port (1 to 65535)", plan.who(one.member),
                                                           quoted(name, 80), quoted(number, 80)));
    }
    if (known.size() < 200) known += fmt::format("{}{}", known.empty() ? "" : ", ", printable(name, 80));
  }
  return Failure(Errc::not_found, fmt::format("{} has no port named {}", plan.who(one.member), quoted(options.named_port(), 80)))
      .with_hint(known.empty() ? "the group names no ports: gcloud compute instance-groups set-named-ports" : "it names " + known);
}

// The failure for an instance that lacks `what`, with the reason if the status gives one.
Failure lacking_address(const GcePlan& plan, const GceInstance& one, std::string_view what) {
  const std::string& status = one.instance.status;
  if (!status.empty() && status != "RUNNING") {
    return Failure(Errc::not_ready, fmt::format("{} has no {}: it is {}", plan.who(one.member), what, printable(status, 40)));
  }
  return Failure(Errc::malformed_response, fmt::format("{} has no {}", plan.who(one.member), what));
}

Result<std::string> member_host(const GcePlan& plan, const GceOptions& options, const GceInstance& one) {
  const std::vector<Instance::Interface>& interfaces = one.instance.interfaces;
  if (interfaces.empty()) return lacking_address(plan, one, "network interface");
  const std::string& wanted = options.network_interface();
  const auto chosen = std::find_if(interfaces.begin(), interfaces.end(), [&](const auto& i) { return wanted.empty() || i.name == wanted; });
  if (chosen == interfaces.end()) {
    std::string known;
    for (std::size_t i = 0; i < interfaces.size() && i < 16; ++i) known += (i == 0 ? "" : ", ") + printable(interfaces[i].name, 40);
    return Failure(Errc::not_found, fmt::format("{} has no network interface {}", plan.who(one.member), quoted(wanted, 80)))
        .with_hint("it has " + known);
  }
  const bool is_v6 = options.address() == GceAddress::ipv6;
  const std::string& host = is_v6 ? chosen->ipv6 : chosen->ip;
  if (host.empty()) return lacking_address(plan, one, is_v6 ? "IPv6 address (ipv6Address)" : "address (networkIP)");
  return host;
}

// Natural order: `worker-2` before `worker-10`.
bool is_before(const GceInstance& a, const GceInstance& b) {
  const auto order = natural_order(a.member.name, b.member.name);
  return order != 0 ? order < 0 : natural_order(a.member.zone, b.member.zone) < 0;
}

// Instances that are close in the network are adjacent, so that rings of ranks cross blocks as rarely as possible. The ids have no order
// of their own: the order of the blocks has no meaning, but it is the same for every client [facts: compute-topology].
Result<void> sort_by_place(const GcePlan& plan, std::vector<GceInstance>& instances) {
  for (const GceInstance& one : instances) {
    if (!one.instance.cluster.empty() && !one.instance.block.empty() && !one.instance.subblock.empty()) continue;
    return Failure(Errc::failed_precondition,
                   fmt::format("{} does not report its location (resourceStatus.physicalHostTopology)", plan.who(one.member)))
        .with_hint("Compute Engine reports it for some machine types, and to projects that were given access; order=name needs none");
  }
  const auto place = [](const GceInstance& one) {
    const Instance& i = one.instance;
    return std::tie(i.cluster, i.block, i.subblock, i.physical_host);
  };
  std::sort(instances.begin(), instances.end(),
            [&place](const GceInstance& a, const GceInstance& b) { return place(a) != place(b) ? place(a) < place(b) : is_before(a, b); });
  return Result<void>();
}

}  // namespace

Result<std::vector<GceTask>> gce_tasks(const GcePlan& plan, const GceOptions& options, std::vector<GceInstance>& instances) {
  if (options.order() == GceOrder::name) {
    std::sort(instances.begin(), instances.end(), is_before);
  } else if (options.order() == GceOrder::topology) {
    const Result<void> sorted = sort_by_place(plan, instances);
    if (!sorted) return sorted.error();
  }
  std::vector<GceTask> tasks;
  tasks.reserve(instances.size());
  for (const GceInstance& one : instances) {
    const Result<std::uint16_t> port = member_port(plan, options, one);
    if (!port) return port.error();
    const Result<std::string> host = member_host(plan, options, one);
    if (!host) return host.error();
    GceTask& task = tasks.emplace_back();
    task.address = Endpoint(*host, *port).to_text();
    task.member = &one;
  }
  if (options.order() == GceOrder::address) {
    std::sort(tasks.begin(), tasks.end(),
              [](const GceTask& a, const GceTask& b) { return std::tie(a.address, a.member) < std::tie(b.address, b.member); });
  }
  return tasks;
}

}  // namespace rollcall
