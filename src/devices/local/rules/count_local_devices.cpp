#include "devices/local/rules/count_local_devices.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rollcall {

LocalDevices count_local_devices(const MachineFacts& machine, const NvmlOutcome& nvml, const Environment& environment) {
  LocalDevices found;
  count_nvidia(machine, nvml, found);
  count_amd(machine, found);
  count_tpu(machine, found);
  count_gaudi(machine, found);
  count_neuron(machine, found);
  if (found.groups.empty() && !machine.has_pci)
    found.notes.emplace_back("/sys/bus/pci/devices cannot be listed: only device files were counted");
  if (found.groups.empty() && !machine.has_devices) found.notes.emplace_back("/dev cannot be listed: only PCI was looked at");
  for (LocalDeviceGroup& group : found.groups) note_visible(environment, group, found.notes);
  return found;
}

std::string count_text(std::size_t count, std::string_view what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

std::string model_of_all(const std::vector<LocalDevice>& devices) {
  if (devices.empty()) return {};
  const std::string& first = devices.front().model;
  const bool is_one = std::all_of(devices.begin(), devices.end(), [&first](const LocalDevice& one) { return one.model == first; });
  return is_one ? first : std::string();
}

std::string short_list(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

}  // namespace rollcall
