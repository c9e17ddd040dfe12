// The accelerators of a cluster as its members have them, without a question to a runtime.
#include <algorithm>
#include <set>

#include "render/render_devices.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

// The machine of a member: its name, else the host of the address; empty: not known.
std::string machine_of(const Member& member) {
  if (!member.host.empty()) return member.host;
  const Result<Endpoint> endpoint = Endpoint::parse(member.address);
  return endpoint ? endpoint->host : std::string();
}

}  // namespace

std::optional<DeviceReport> report_of_members(std::string target, const std::vector<Member>& members) {
  const bool is_known = !members.empty() && std::all_of(members.begin(), members.end(), [](const Member& member) {
    return member.accelerators && !member.accelerators->kind.empty();
  });
  if (!is_known) return std::nullopt;
  DeviceReport report;
  report.target = std::move(target);
  report.source = members.front().accelerators->source;
  report.model = members.front().accelerators->model;
  std::set<std::string, std::less<>> machines;
  std::set<std::string, std::less<>> sharing;  // machines whose shared accelerators are counted
  std::size_t nameless = 0;
  for (const Member& member : members) {
    const Accelerators& own = *member.accelerators;
    const std::string machine = machine_of(member);
    if (!machine.empty()) machines.insert(machine);
    nameless += machine.empty() ? 1 : 0;
    if (own.model != report.model && own.count > 0) report.model.clear();
    if (own.source != report.source) report.source = "members";
    if (own.is_shared && !machine.empty() && !sharing.insert(machine).second) continue;  // counted with the first task of the machine
    HostDevices& host = report.hosts.emplace_back();
    host.job = member.job;
    host.task = member.index;
    host.counts.emplace(own.kind, own.count);
  }
  report.machines = machines.size() + nameless;
  return report;
}

}  // namespace rollcall
