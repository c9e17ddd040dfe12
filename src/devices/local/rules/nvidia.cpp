// NVIDIA's GPUs: PCI, the driver's list in /proc, device files, and NVML [facts: nvml-codes, device-views].
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "devices/local/rules/count_local_devices.hpp"

namespace rollcall {
namespace {

constexpr std::uint32_t nvidia_vendor = 0x10de;
constexpr int driver_not_loaded = 9;

class NvidiaCount {
 public:
  NvidiaCount(const MachineFacts& machine, const NvmlOutcome& nvml, LocalDevices& out) : machine_(machine), nvml_(nvml), out_(out) {
    for (const PciFunction& function : machine.pci) {
      if (is_nvidia_gpu(function)) pci_.push_back(function.bus);
    }
    for (const NvidiaInformation& one : machine.nvidia_driver) {
      if (one.is_excluded) {
        excluded_.push_back(one.bus);
      } else {
        ++listed_;
      }
    }
  }

  void run() {
    const bool is_seen = !pci_.empty() || !machine_.nvidia_driver.empty() || !machine_.nvidia_nodes.empty();
    const bool has_answer = nvml_.end == NvmlOutcome::End::answered && nvml_.report.step.empty() && nvml_.report.count <= max_nvml_devices;
    if (!is_seen && !(has_answer && nvml_.report.count > 0)) {
      // A host without GPUs passes: a library that finds none is no news, one that hangs or crashes is.
      if (nvml_.end == NvmlOutcome::End::silent || nvml_.end == NvmlOutcome::End::died || nvml_.end == NvmlOutcome::End::nonsense)
        note(nvml_.text);
      return;
    }
    group_.kind = "GPU";
    group_.vendor = "NVIDIA";
    group_.driver = !nvml_.report.driver.empty() ? nvml_.report.driver : machine_.nvidia_version.value_or("");
    if (has_answer) {
      count_by_nvml();
    } else {
      count_by_nodes();
      explain_nvml();
    }
    compare();
    group_.model = model_of_all(group_.devices);
    out_.groups.push_back(std::move(group_));
  }

 private:
  void note(std::string text) { out_.notes.push_back(std::move(text)); }

  void count_by_nvml() {
    std::vector<const NvmlDevice*> usable;
    std::vector<std::string> closed;
    for (const NvmlDevice& device : nvml_.report.devices) {
      if (device.result == 0) {
        usable.push_back(&device);
      } else if (device.result == 4 || device.result == 17) {
        closed.push_back(name_of_gpu(device));
      } else {
        note(fmt::format("{} is not counted: {}", name_of_gpu(device), nvml_code_text(device.result)));
      }
    }
    if (!closed.empty()) note(fmt::format("NVML may not open {}: not given to this container or job step", short_list(closed)));
    group_.source = "NVML";
    // NVML makes missing device files where it may. What the container was given is what was there before.
    const std::size_t nodes = machine_.nvidia_nodes.size();
    const auto is_given = [this](const NvmlDevice* device) { return !device->minor || machine_.nvidia_nodes.contains(*device->minor); };
    const std::size_t given = static_cast<std::size_t>(std::count_if(usable.begin(), usable.end(), is_given));
    if (nodes > 0 && given < usable.size()) {
      note(fmt::format("NVML has {}, and /dev had device files of {} before NVML was loaded: the others are not given to this container",
                       count_text(usable.size(), "GPU"), nodes));
      std::erase_if(usable, [&is_given](const NvmlDevice* device) { return !is_given(device); });
      group_.source = "/dev and NVML";
    }
    if (nodes == 0 && !usable.empty() && machine_.has_devices && (!pci_.empty() || listed_ > 0))
      note("/dev had no device file of a GPU before NVML was loaded, which makes them where it may");
    for (const NvmlDevice* const device : usable) add(*device);
    group_.count = static_cast<int>(group_.devices.size());
    if (nodes > nvml_.report.count)
      note(fmt::format("/dev has device files of {}, NVML has {}", count_text(nodes, "GPU"), nvml_.report.count));
  }

  void add(const NvmlDevice& device) {
    if (!device.has_mig) return add_one(device, device);
    for (const NvmlDevice& instance : device.instances) add_one(instance, device);
    note(device.instances.empty() ? fmt::format("MIG mode is on for {}, and it has no instances that can be used here", name_of_gpu(device))
                                  : fmt::format("MIG mode is on for {}: its {} count, and the GPU itself does not", name_of_gpu(device),
                                                count_text(device.instances.size(), "instance")));
  }

  void add_one(const NvmlDevice& device, const NvmlDevice& parent) {
    LocalDevice& added = group_.devices.emplace_back();
    added.model = device.name;
    added.uuid = device.uuid;
    added.bus = parent.bus;
    added.index = parent.index;
    if (parent.minor) added.node = fmt::format("/dev/nvidia{}", *parent.minor);
    added.memory_bytes = device.memory;
  }

  static std::string name_of_gpu(const NvmlDevice& device) {
    return device.bus.empty() ? fmt::format("GPU {}", device.index) : fmt::format("GPU {} ({})", device.index, printable(device.bus, 40));
  }

  void count_by_nodes() {
    const bool is_unloaded = nvml_.end == NvmlOutcome::End::answered && nvml_.report.step != "dlopen" &&
                             nvml_.report.result == driver_not_loaded && !machine_.nvidia_version;
    group_.source = is_unloaded ? "NVML" : "/dev";
    group_.count = 0;
    if (is_unloaded) return;
    if (!machine_.has_devices) {
      group_.count.reset();
      return note("/dev cannot be listed: how many GPUs were given to this container is not known");
    }
    for (const int minor : machine_.nvidia_nodes) {
      LocalDevice& added = group_.devices.emplace_back();
      added.index = minor;
      added.node = fmt::format("/dev/nvidia{}", minor);
      const auto named = std::find_if(machine_.nvidia_driver.begin(), machine_.nvidia_driver.end(),
                                      [minor](const NvidiaInformation& one) { return one.minor == minor; });
      if (named == machine_.nvidia_driver.end()) continue;
      added.model = named->model;
      added.uuid = named->uuid;
      added.bus = named->bus;
    }
    group_.count = static_cast<int>(group_.devices.size());
    if (!machine_.has_mig_nodes || group_.devices.empty()) return;
    group_.count.reset();
    note("/dev/nvidia-caps has MIG instances, and how many there are is not known without NVML");
  }

  void explain_nvml() {
    const NvmlReport& report = nvml_.report;
    if (nvml_.end == NvmlOutcome::End::not_asked) return;
    if (nvml_.end != NvmlOutcome::End::answered) return note(nvml_.text);
    if (report.count > max_nvml_devices) return note(fmt::format("NVML says that there are {} GPUs, which cannot be", report.count));
    if (report.step == "dlopen")
      return note(fmt::format("NVML was not asked, its library could not be loaded: {}", printable(report.message)));
    if (report.result == 0) return note(fmt::format("NVML was not asked, its library has no {}", printable(report.step, 80)));
    note(fmt::format("NVML gave no count: {}", nvml_code_text(report.result)));
  }

  // One sentence with all counts where they differ. sysfs and /proc may be hidden: a count of zero there says nothing.
  void compare() {
    if (!excluded_.empty()) note(fmt::format("the driver does not use {}: GPU Excluded", short_list(excluded_)));
    const std::size_t pci = pci_.size();
    const std::size_t given = machine_.nvidia_nodes.size();
    const bool has_counted = group_.count.value_or(0) > 0;
    if (!machine_.nvidia_version && given == 0 && pci > 0) {
      if (!has_counted)
        note(fmt::format("PCI has {} of NVIDIA, and no driver is loaded, or it is hidden from this container", count_text(pci, "GPU")));
      return;
    }
    const std::size_t usable = pci - std::min(pci, excluded_.size());
    const bool is_fewer = machine_.has_devices && given < std::max(usable, listed_) && !(given == 0 && has_counted);
    const bool is_unlisted = listed_ > 0 && listed_ < usable;
    if ((!is_fewer && !is_unlisted) || group_.source == "/dev and NVML") return;
    std::string why = "the others are not given to this container";
    if (is_unlisted && given >= listed_)
      why = fmt::format("{} has fallen off the bus, or is not given to this container", short_list(unlisted()));
    note(fmt::format("PCI has {} of NVIDIA, the driver lists {}, /dev has {}: {}", count_text(pci, "GPU"), listed_, given, why));
  }

  std::vector<std::string> unlisted() const {
    std::vector<std::string> names;
    for (const std::string& bus : pci_) {
      const auto is_it = [&bus](const NvidiaInformation& one) { return one.bus == bus; };
      if (std::none_of(machine_.nvidia_driver.begin(), machine_.nvidia_driver.end(), is_it)) names.push_back(bus);
    }
    return names;
  }

  const MachineFacts& machine_;
  const NvmlOutcome& nvml_;
  LocalDevices& out_;
  LocalDeviceGroup group_;
  std::vector<std::string> pci_;
  std::vector<std::string> excluded_;
  std::size_t listed_ = 0;  // by the driver, without those that it does not use
};

}  // namespace

bool is_nvidia_gpu(const PciFunction& function) {
  const std::uint32_t kind = function.device_class >> 8;  // 3D controllers and displays; NVSwitches are bridges
  return function.vendor == nvidia_vendor && (kind == 0x0302 || kind == 0x0300);
}

void count_nvidia(const MachineFacts& machine, const NvmlOutcome& nvml, LocalDevices& out) { NvidiaCount(machine, nvml, out).run(); }

std::string nvml_code_text(int code) {
  struct CodeRow {
    int code;
    std::string_view words;
  };
  static constexpr CodeRow rows[] = {
      {3, "it does not support the question"},
      {4, "no permission"},
      {6, "not found"},
      {8, "its power cable is not attached"},
      {9, "the driver is not loaded"},
      {10, "it did not answer in time"},
      {11, "the kernel has trouble with its interrupt"},
      {12, "a library of the driver is missing"},
      {14, "its infoROM is corrupted"},
      {15, "the GPU is lost: it has fallen off the bus, and the machine must be restarted"},
      {16, "the GPU must be reset"},
      {17, "the operating system, or a cgroup, does not allow it"},
      {18,
       "the driver was updated under a running system: its library and its module have different versions; restart the machine, or load "
       "the module again"},
      {19, "the GPU is in use"},
      {28, "no GPU was found"},
      {999, "the driver does not say why"},
  };
  const auto row = std::find_if(std::begin(rows), std::end(rows), [code](const CodeRow& one) { return one.code == code; });
  return row == std::end(rows) ? fmt::format("NVML code {}", code) : fmt::format("{} (NVML code {})", row->words, code);
}

}  // namespace rollcall
