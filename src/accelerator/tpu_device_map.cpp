// TPU cores by host, from device names.
#include <fmt/format.h>

#include "base/text.hpp"
#include "rollcall/tpu_metadata.hpp"

namespace rollcall {
namespace {

std::string_view take_digits_back(std::string_view& text) {
  std::size_t start = text.size();
  while (start > 0 && is_digit(text[start - 1])) --start;
  const std::string_view digits = text.substr(start);
  text.remove_suffix(digits.size());
  return digits;
}

bool take_back(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

}  // namespace

// Upstream's pattern is `.*task:(\d+)/.*device:TPU:(\d+)$`; the first part is greedy, so that the last task counts.
void TpuDeviceMap::add(std::string_view name) {
  std::string_view rest = name;
  const std::string_view core = take_digits_back(rest);
  if (core.empty() || !take_back(rest, "device:TPU:")) return;
  constexpr std::string_view task = "task:";
  for (std::size_t at = rest.rfind(task); at != std::string_view::npos; at = at == 0 ? std::string_view::npos : rest.rfind(task, at - 1)) {
    const std::string_view behind = rest.substr(at + task.size());
    std::size_t digits = 0;
    while (digits < behind.size() && is_digit(behind[digits])) ++digits;
    if (digits == 0 || digits == behind.size() || behind[digits] != '/') continue;
    const std::string_view host = behind.substr(0, digits);
    auto found = hosts_.find(host);
    if (found == hosts_.end()) found = hosts_.emplace(std::string(host), std::vector<std::string>()).first;
    found->second.emplace_back(core);
    ++total_;
    return;
  }
}

TpuDeviceMap TpuDeviceMap::of_names(const std::vector<std::string>& names) {
  TpuDeviceMap map;
  for (const std::string& name : names) map.add(name);
  return map;
}

TpuDeviceMap TpuDeviceMap::of_devices(const std::vector<DeviceAttributes>& devices) {
  TpuDeviceMap map;
  for (const DeviceAttributes& device : devices) map.add(device.name);
  return map;
}

Result<int> TpuDeviceMap::cores_per_host() const {
  if (hosts_.empty()) return Failure(Errc::failed_precondition, "no host has a TPU core: there is no number that all hosts share");
  const auto& [first, cores] = *hosts_.begin();
  for (const auto& [host, others] : hosts_) {
    if (others.size() == cores.size()) continue;
    return Failure(Errc::failed_precondition, fmt::format("the hosts have different numbers of TPU cores: task {} has {}, task {} has {}",
                                                          first, cores.size(), host, others.size()));
  }
  return static_cast<int>(cores.size());
}

}  // namespace rollcall
