#include "devices/local/nvml_health.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace rollcall {
namespace {

constexpr int no_such_function = 13;
constexpr int wrong_version = 25;
constexpr unsigned links_of_gpu = 36;  // of the newest; others say that there is no such link
constexpr unsigned uncorrected = 1;
constexpr unsigned sm_clock = 1;

// nvmlFieldValue_t: the value's type says how to read it [facts: nvml-health].
struct NvmlField {
  unsigned id, scope;
  long long timestamp, latency;
  int type, result;
  union {
    unsigned small;
    unsigned long long large;
  } value;
};
static_assert(sizeof(NvmlField) == 40);
constexpr int type_of_small = 1;
constexpr int type_of_long = 2;
constexpr int type_of_large = 3;

// nvmlMemory_v2_t: unlike the first version it has the driver's own part apart.
struct NvmlMemory2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct NvmlProcess {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
// nvmlGpuFabricInfo_v3_t; the second version ends before the summary.
struct NvmlFabric {
  unsigned version;
  unsigned char cluster[16];
  unsigned status, clique;
  unsigned char state;
  unsigned mask;
  unsigned char summary;
};
static_assert(sizeof(NvmlFabric) == 40);

constexpr unsigned version_of(unsigned size, unsigned number) { return size | number << 24; }

class HealthQuestions {
 public:
  HealthQuestions(void* library, void* gpu, NvmlDevice& out) : library_(library), gpu_(gpu), out_(out) {}

  void run() {
    ask_fields();
    ask_memory();
    number("temperature", "nvmlDeviceGetTemperature", 0U);
    number("persistence", "nvmlDeviceGetPersistenceMode");
    number("compute_mode", "nvmlDeviceGetComputeMode");
    number("pcie_width", "nvmlDeviceGetCurrPcieLinkWidth");
    number("pcie_width_max", "nvmlDeviceGetMaxPcieLinkWidth");
    number("pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration");
    number("pcie_generation_max", "nvmlDeviceGetMaxPcieLinkGeneration");
    number("clock_sm_mhz", "nvmlDeviceGetClockInfo", sm_clock);
    number("clock_sm_max_mhz", "nvmlDeviceGetMaxClockInfo", sm_clock);
    pair("ecc_mode", "ecc_mode_pending", "nvmlDeviceGetEccMode");
    pair("mig_mode", "mig_mode_pending", "nvmlDeviceGetMigMode");
    ask_errors();
    ask_clocks();
    ask_links();
    ask_fabric();
    ask_processes();
  }

 private:
  template <class... Args>
  int call(const char* symbol, Args... arguments) const {
    const auto function = reinterpret_cast<int (*)(void*, Args...)>(::dlsym(library_, symbol));
    return function ? function(gpu_, arguments...) : no_such_function;
  }
  void set(const char* name, std::uint64_t value) { out_.values.insert_or_assign(name, value); }

  template <class... Args>
  void number(const char* name, const char* symbol, Args... arguments) {
    unsigned value = 0;
    if (call(symbol, arguments..., &value) == 0) set(name, value);
  }
  void pair(const char* current, const char* pending, const char* symbol) {
    unsigned now = 0;
    unsigned next = 0;
    if (call(symbol, &now, &next) != 0) return;
    set(current, now);
    set(pending, next);
  }

  void ask_fields() {
    static constexpr std::pair<unsigned, const char*> rows[] = {
        {142, "rows_remapped_correctable"},
        {143, "rows_remapped_uncorrectable"},
        {144, "rows_pending"},
        {145, "rows_failed"},
        {31, "pages_pending"},
        {230, "recovery_action"},
    };
    std::array<NvmlField, std::size(rows)> fields{};
    for (std::size_t i = 0; i < fields.size(); ++i) fields[i].id = rows[i].first;
    if (call("nvmlDeviceGetFieldValues", static_cast<int>(fields.size()), fields.data()) != 0) return;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const NvmlField& field = fields[i];
      if (field.result != 0) continue;
      if (field.type == type_of_small) set(rows[i].second, field.value.small);
      if (field.type == type_of_long || field.type == type_of_large) set(rows[i].second, field.value.large);
    }
  }

  void ask_memory() {
    NvmlMemory2 memory{};
    memory.version = version_of(sizeof memory, 2);
    if (call("nvmlDeviceGetMemoryInfo_v2", &memory) != 0) return;
    // By the header `used` has the reserved part in it, by nvidia-smi it has not.
    if (memory.free <= memory.total && memory.reserved <= memory.total - memory.free)
      set("memory_used", memory.total - memory.free - memory.reserved);
    set("memory_reserved", memory.reserved);
  }

  void ask_errors() {
    for (const auto& [name, counter] : {std::pair("ecc_volatile_uncorrected", 0U), std::pair("ecc_aggregate_uncorrected", 1U)}) {
      unsigned long long count = 0;
      if (call("nvmlDeviceGetTotalEccErrors", uncorrected, counter, &count) == 0) set(name, count);
    }
  }

  void ask_clocks() {
    unsigned long long reasons = 0;
    int code = call("nvmlDeviceGetCurrentClocksEventReasons", &reasons);
    if (code == no_such_function) code = call("nvmlDeviceGetCurrentClocksThrottleReasons", &reasons);
    if (code == 0) set("clocks_event_reasons", reasons);
  }

  void ask_links() {
    unsigned links = 0;
    unsigned active = 0;
    for (unsigned link = 0; link < links_of_gpu; ++link) {
      int state = 0;
      if (call("nvmlDeviceGetNvLinkState", link, &state) != 0) continue;
      ++links;
      if (state == 1) ++active;
    }
    if (links == 0) return;
    set("nvlinks", links);
    set("nvlinks_active", active);
  }

  void ask_fabric() {
    constexpr unsigned second_size = 36;
    NvmlFabric fabric{};
    fabric.version = version_of(sizeof fabric, 3);
    int code = call("nvmlDeviceGetGpuFabricInfoV", &fabric);
    const bool has_summary = code == 0;
    if (code == wrong_version) {
      fabric.version = version_of(second_size, 2);
      code = call("nvmlDeviceGetGpuFabricInfoV", &fabric);
    }
    if (code != 0) return;
    set("fabric_state", fabric.state);
    set("fabric_status", fabric.status);
    if (has_summary) set("fabric_health", fabric.summary);
  }

  void ask_processes() {
    // Some drivers write larger entries than they should.
    std::array<NvmlProcess, 2 * max_nvml_processes> processes{};
    unsigned count = max_nvml_processes;
    int code = call("nvmlDeviceGetComputeRunningProcesses_v3", &count, processes.data());
    if (code == no_such_function) code = call("nvmlDeviceGetComputeRunningProcesses_v2", &count, processes.data());
    if (code != 0) return;
    for (unsigned i = 0; i < count && i < max_nvml_processes; ++i) {
      NvmlUser& user = out_.users.emplace_back();
      user.pid = processes[i].pid;
      if (processes[i].memory != UINT64_MAX) user.memory = processes[i].memory;
    }
  }

  void* library_;
  void* gpu_;
  NvmlDevice& out_;
};

}  // namespace

void ask_health(void* library, void* gpu, NvmlDevice& out) { HealthQuestions(library, gpu, out).run(); }

}  // namespace rollcall
