// The variables that hide devices from a process, as CUDA and HIP read them. NVIDIA_VISIBLE_DEVICES is the container runtime's: it says
// nothing about this process, and is `void` in containers that have GPUs [facts: device-views].
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "accelerator/visible_devices.hpp"
#include "base/text.hpp"
#include "devices/local/rules/count_local_devices.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_visible_bytes = 64 * 1024;
constexpr std::string_view cuda_variables[] = {"CUDA_VISIBLE_DEVICES"};
// HIP numbers what ROCr has left; without its own variable it takes CUDA's.
constexpr std::string_view amd_variables[] = {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"};

// How many of `count` devices the list leaves: the first word that names none ends it. Absent: a device is named twice, or by a name that
// cannot be compared.
std::optional<int> visible_in(const std::string& list, int count, const std::vector<LocalDevice>& devices) {
  std::set<int> indices;
  std::set<std::string_view> names;
  for (const std::string_view part : split(list, ',')) {
    const std::string_view word = trim(part);
    if (const std::optional<int> index = parse_decimal<int>(word)) {
      if (*index >= count) break;
      if (!indices.insert(*index).second) return std::nullopt;
      continue;
    }
    if (!is_device_word(word)) break;
    const auto is_it = [word](const LocalDevice& one) { return std::string_view(one.uuid).starts_with(word); };
    const bool has_names =
        std::any_of(devices.begin(), devices.end(), [word](const LocalDevice& one) { return one.uuid.starts_with(word.substr(0, 4)); });
    if (!has_names) return std::nullopt;
    if (std::count_if(devices.begin(), devices.end(), is_it) != 1) break;
    if (!names.insert(word).second) return std::nullopt;
  }
  return indices.empty() || names.empty() ? std::optional<int>(static_cast<int>(indices.size() + names.size())) : std::nullopt;
}

}  // namespace

void note_visible(const Environment& environment, LocalDeviceGroup& group, std::vector<std::string>& notes) {
  if (group.kind != "GPU" || !group.count) return;
  const bool is_amd = group.vendor == "AMD";
  const std::span<const std::string_view> variables = is_amd ? std::span<const std::string_view>(amd_variables) : cuda_variables;
  int left = *group.count;
  bool has_own = false;
  for (const std::string_view variable : variables) {
    const std::optional<std::string> value = environment.get(variable);
    if (!value || (variable == "CUDA_VISIBLE_DEVICES" && has_own)) continue;
    has_own = has_own || variable == "HIP_VISIBLE_DEVICES";
    std::optional<int> visible;
    if (value->size() <= max_visible_bytes) visible = visible_in(*value, left, group.devices);
    group.visible = VisibleDevices(std::string(variable), visible);
    if (!visible) {
      notes.push_back(fmt::format("how many of {} this process sees is not known: {} is {}", *group.count, variable, quoted(*value, 80)));
      return;
    }
    left = *visible;
  }
  if (group.visible && left == *group.count) group.visible.reset();
  if (group.visible) notes.push_back(fmt::format("this process sees {} of {} ({})", left, *group.count, group.visible->variable));
}

}  // namespace rollcall
