// The interface of the default route, RDMA adapters, and ports that the program listens on.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "base/text.hpp"
#include "preflight/host/rules/judge_host.hpp"

namespace rollcall {
namespace {

void judge_interface(const HostLook& look, HostNotes& notes) {
  if (!look.interface) return notes.unknown("nic", "there is no default route, so the interface to the others is not known");
  const InterfaceLook& nic = *look.interface;
  const bool has_speed = !nic.speed.empty() && nic.speed != "-1";
  if (has_speed) notes.fact("nic", "nic_speed", nic.speed + " Mbit/s");
  notes.fact("nic", "nic_mtu", nic.mtu);
  if (nic.duplex != "unknown") notes.fact("nic", "nic_duplex", nic.duplex);
  notes.fact("nic", "nic_driver", nic.driver);
  const std::string name = printable(nic.name, 64);
  if (nic.state == "down")
    notes.failure("nic", fmt::format("the interface {} of the default route is down", name),
                  FindingParts(FindingAction::check_path, "look at its cable and switch"));
  if (nic.duplex == "half")
    notes.warning("nic", fmt::format("the interface {} runs at half duplex", name),
                  FindingParts(FindingAction::check_path, "look at its cable and switch"));
}

bool is_active(const FabricPort& port) { return port.state.find("ACTIVE") != std::string::npos; }

void judge_fabric(const HostLook& look, HostNotes& notes) {
  if (look.fabric.empty()) return;
  std::set<std::string> rates;
  std::string down;
  std::size_t active = 0;
  for (const FabricPort& port : look.fabric) {
    if (is_active(port)) {
      ++active;
      rates.insert(port.rate);
    } else {
      down += fmt::format("{}{} ({})", down.empty() ? "" : ", ", printable(port.name, 64), printable(port.state, 64));
    }
  }
  notes.fact("nic", "infiniband", fmt::format("{} of {} active", active, look.fabric.size()));
  std::string all;
  for (const std::string& rate : rates) all += (all.empty() ? "" : ", ") + rate;
  notes.fact("nic", "infiniband_rate", all);
  // Adapters without a cable are common: the other hosts say whether this one should be up.
  if (down.empty()) return;
  notes.warning("nic", fmt::format("{} of {} RDMA ports are not active: {}", look.fabric.size() - active, look.fabric.size(), down),
                FindingParts(FindingAction::check_path, "look at their cables and switches, unless the other hosts have the same"));
}

void judge_port(const PortLook& port, HostNotes& notes) {
  if (port.error == 0) return;
  const std::string check = fmt::format("port:{}", port.port);
  if (port.error == EADDRINUSE) {
    const std::string holder = port.holder.empty() ? "another process, of another user or container" : port.holder;
    return notes.failure(check, fmt::format("port {} is taken by {}", port.port, holder),
                         FindingParts(FindingAction::free_port, "end that process, or choose another port"));
  }
  if (port.error == EACCES)
    return notes.failure(check, fmt::format("port {} may not be listened on by this user", port.port),
                         FindingParts(FindingAction::free_port, "choose a port from 1024 on"));
  notes.unknown(check, fmt::format("listening on port {} was not possible: {}", port.port, std::strerror(port.error)));
}

}  // namespace

void judge_network(const HostLook& look, HostNotes& notes) {
  judge_interface(look, notes);
  judge_fabric(look, notes);
  for (const PortLook& port : look.ports) judge_port(port, notes);
}

}  // namespace rollcall
