// Asks NVIDIA's management library, in a process that ends afterwards [facts: nvml-child]. Functions that an older library lacks are left
// out. Nothing is set, reset or cleared, and no CUDA context is made.
#include <dlfcn.h>

#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "devices/local/nvml_health.hpp"
#include "devices/local/wire/nvml_line.hpp"
#include "rollcall/find_local_devices.hpp"

namespace rollcall {
namespace {

constexpr int not_supported = 3;
constexpr int not_found = 6;
constexpr int timed_out = 10;
constexpr unsigned text_bytes = 96;
using Gpu = void*;  // nvmlDevice_t

// nvmlMemory_t and nvmlPciInfo_t.
struct NvmlMemory {
  unsigned long long total, free, used;
};
struct NvmlPciInfo {
  char legacy_bus[16];
  unsigned domain, bus, device, pci_device, pci_subsystem;
  char bus_id[32];
};
// NVML writes at most text_bytes: the last byte stays zero even if a name has no end.
struct NvmlText {
  char bytes[text_bytes + 1] = {};
  std::string text() const { return std::string(bytes); }
};

class Nvml {
 public:
  /// Empty: loaded. Else the loader's message.
  std::string load() {
    // On GKE's own images the library is off the loader's path. Never the name without .1: that is a stub for linking.
    for (const char* const file : {"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1"}) {
      library_ = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
      if (library_) return {};
      if (message_.empty()) {
        const char* const said = ::dlerror();
        message_ = said ? said : "unknown";
      }
    }
    return message_;
  }
  void* handle() const noexcept { return library_; }
  template <class Function>
  void take(Function*& function, const char* symbol) const {
    function = reinterpret_cast<Function*>(::dlsym(library_, symbol));
  }

  int (*init)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*gpu_at)(unsigned, Gpu*) = nullptr;
  int (*name)(Gpu, char*, unsigned) = nullptr;
  int (*uuid)(Gpu, char*, unsigned) = nullptr;
  int (*pci)(Gpu, NvmlPciInfo*) = nullptr;
  int (*minor)(Gpu, unsigned*) = nullptr;
  int (*memory)(Gpu, NvmlMemory*) = nullptr;
  int (*mig_mode)(Gpu, unsigned*, unsigned*) = nullptr;
  int (*max_instances)(Gpu, unsigned*) = nullptr;
  int (*instance_at)(Gpu, unsigned, Gpu*) = nullptr;

 private:
  void* library_ = nullptr;
  std::string message_;
};

// `0000:00:06.0` as sysfs has it: NVML writes eight digits of the domain.
std::string sysfs_bus(const NvmlPciInfo& info) {
  std::string bus(info.bus_id, ::strnlen(info.bus_id, sizeof info.bus_id));
  if (bus.size() > 12 && bus.starts_with("0000") && bus.find(':') == 8) bus.erase(0, 4);
  for (char& c : bus) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  return bus;
}

// Name, UUID and memory: of a GPU or an instance. Returns the code that keeps it from being counted.
int describe(const Nvml& nvml, Gpu gpu, NvmlDevice& out) {
  NvmlText text;
  const int named = nvml.name(gpu, text.bytes, text_bytes);
  if (named == 0) out.name = text.text();
  NvmlText uuid;
  if (nvml.uuid && nvml.uuid(gpu, uuid.bytes, text_bytes) == 0) out.uuid = uuid.text();
  NvmlMemory memory{};
  if (nvml.memory && nvml.memory(gpu, &memory) == 0) out.memory = memory.total;
  return named == not_supported ? 0 : named;
}

void list_instances(const Nvml& nvml, Gpu gpu, NvmlDevice& out) {
  unsigned current = 0;
  unsigned pending = 0;
  if (!nvml.mig_mode || !nvml.max_instances || !nvml.instance_at || nvml.mig_mode(gpu, &current, &pending) != 0 || current != 1) return;
  out.has_mig = true;
  unsigned most = 0;
  if (nvml.max_instances(gpu, &most) != 0) return;
  for (unsigned i = 0; i < most && i < max_nvml_instances; ++i) {
    Gpu handle = nullptr;
    const int code = nvml.instance_at(gpu, i, &handle);  // gaps are "not found"
    if (code != 0) continue;
    NvmlDevice instance;
    instance.index = static_cast<int>(i);
    if (describe(nvml, handle, instance) != not_found) out.instances.push_back(std::move(instance));
  }
}

// Returns the handle; null: it cannot be asked further.
Gpu ask_gpu(const Nvml& nvml, unsigned index, NvmlDevice& out) {
  out.index = static_cast<int>(index);
  Gpu gpu = nullptr;
  out.result = nvml.gpu_at(index, &gpu);
  if (out.result != 0) return nullptr;
  out.result = describe(nvml, gpu, out);
  NvmlPciInfo info{};
  if (nvml.pci && nvml.pci(gpu, &info) == 0) out.bus = sysfs_bus(info);
  unsigned minor = 0;
  if (nvml.minor && nvml.minor(gpu, &minor) == 0 && minor <= 1'000'000) out.minor = static_cast<int>(minor);
  list_instances(nvml, gpu, out);
  return out.result == 0 ? gpu : nullptr;
}

NvmlReport failed_at(std::string_view step, int result) {
  NvmlReport report;
  report.step = step;
  report.result = result;
  return report;
}

// The library, and the answers so far. Threads that a GPU blocks keep it.
class NvmlAnswers {
 public:
  Nvml nvml;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<NvmlDevice> devices;
  std::size_t answered = 0;
};

// The first handle initialises a GPU, which without persistence mode takes seconds each. NVML may be called by several threads.
std::vector<NvmlDevice> ask_gpus(const std::shared_ptr<NvmlAnswers>& answers, unsigned count, Duration patience) {
  answers->devices.resize(count);
  for (unsigned i = 0; i < count; ++i) {
    answers->devices[i].index = static_cast<int>(i);
    answers->devices[i].result = timed_out;
  }
  for (unsigned i = 0; i < count; ++i) {
    std::thread([answers, i] {
      NvmlDevice device;
      if (const Gpu gpu = ask_gpu(answers->nvml, i, device)) {
        {
          // A question that blocks must not hide the GPU.
          const std::lock_guard lock(answers->mutex);
          answers->devices[i] = device;
          answers->devices[i].is_health_late = true;
        }
        ask_health(answers->nvml.handle(), gpu, device);
      }
      const std::lock_guard lock(answers->mutex);
      answers->devices[i] = std::move(device);
      ++answers->answered;
      answers->changed.notify_one();
    }).detach();
  }
  std::unique_lock lock(answers->mutex);
  answers->changed.wait_for(lock, patience, [&answers, count] { return answers->answered == count; });
  return answers->devices;
}

NvmlReport ask_nvml(Duration patience) {
  const auto answers = std::make_shared<NvmlAnswers>();
  Nvml& nvml = answers->nvml;
  if (const std::string message = nvml.load(); !message.empty()) {
    NvmlReport report = failed_at("dlopen", 0);
    report.message = message;
    return report;
  }
  nvml.take(nvml.init, "nvmlInit_v2");
  nvml.take(nvml.count, "nvmlDeviceGetCount_v2");
  nvml.take(nvml.gpu_at, "nvmlDeviceGetHandleByIndex_v2");
  nvml.take(nvml.name, "nvmlDeviceGetName");
  nvml.take(nvml.uuid, "nvmlDeviceGetUUID");
  nvml.take(nvml.pci, "nvmlDeviceGetPciInfo_v3");
  nvml.take(nvml.minor, "nvmlDeviceGetMinorNumber");
  nvml.take(nvml.memory, "nvmlDeviceGetMemoryInfo");
  nvml.take(nvml.mig_mode, "nvmlDeviceGetMigMode");
  nvml.take(nvml.max_instances, "nvmlDeviceGetMaxMigDeviceCount");
  nvml.take(nvml.instance_at, "nvmlDeviceGetMigDeviceHandleByIndex");
  nvml.take(nvml.driver_version, "nvmlSystemGetDriverVersion");
  if (!nvml.init || !nvml.count || !nvml.gpu_at || !nvml.name)
    return failed_at("nvmlInit_v2, nvmlDeviceGetCount_v2, nvmlDeviceGetHandleByIndex_v2 or nvmlDeviceGetName", 0);
  if (const int code = nvml.init(); code != 0) return failed_at("nvmlInit_v2", code);
  NvmlReport report;
  NvmlText version;
  if (nvml.driver_version && nvml.driver_version(version.bytes, 80) == 0) report.driver = version.text();
  unsigned count = 0;
  if (const int code = nvml.count(&count); code != 0) return failed_at("nvmlDeviceGetCount_v2", code);
  report.count = count;
  if (count <= max_nvml_devices) report.devices = ask_gpus(answers, count, patience);
  return report;
}

}  // namespace

std::string nvml_report_line(Duration patience) { return write_nvml_line(ask_nvml(patience)); }

}  // namespace rollcall
