// Device files of accelerators: whether this user can open them, and which process has them open.
#include <unistd.h>

#include "base/text.hpp"
#include "preflight/host/look_at_host.hpp"

namespace rollcall {

std::string process_with(const HostFolders& folders, const std::set<std::string>& targets) {
  if (targets.empty()) return {};
  for (const std::string& process : folders.names("/proc").value_or(std::vector<std::string>())) {
    if (!parse_decimal<std::uint64_t>(process)) continue;
    const std::string base = "/proc/" + process;
    for (const std::string& descriptor : folders.names(base + "/fd").value_or(std::vector<std::string>())) {
      if (targets.contains(folders.link_target(base + "/fd/" + descriptor)))
        return "process " + process + " (" + printable(folders.word(base + "/comm"), 64) + ")";
    }
  }
  return {};
}

void look_at_device_nodes(const Files& files, const std::string& root, HostLook& look) {
  const HostFolders folders(files, root);
  std::vector<NodeLook> nodes;
  const auto add = [&nodes](const std::string& kind, const std::string& path) {
    NodeLook& node = nodes.emplace_back();
    node.kind = kind;
    node.path = path;
  };
  for (const LocalDeviceGroup& group : look.devices.groups) {
    for (const LocalDevice& device : group.devices) {
      if (!device.node.empty()) add(group.kind, device.node);
    }
    if (group.kind != "TPU") continue;
    for (const int number : look.machine.accel_nodes) add(group.kind, "/dev/accel" + std::to_string(number));
  }
  if (look.machine.has_kfd_node && !look.machine.kfd.empty()) add("GPU", "/dev/kfd");
  for (NodeLook& node : nodes) {
    const std::string path = root + node.path;
    node.is_closed = ::access(path.c_str(), F_OK) == 0 && ::access(path.c_str(), R_OK | W_OK) != 0;
    // One process at a time can open a TPU chip, and a Gaudi.
    if (node.kind == "TPU" || node.kind == "HPU") node.holder = process_with(folders, {node.path});
    if (node.is_closed || !node.holder.empty()) look.nodes.push_back(std::move(node));
  }
}

}  // namespace rollcall
