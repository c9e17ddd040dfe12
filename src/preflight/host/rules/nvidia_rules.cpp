// The health of NVIDIA's GPUs, by what their driver's library says [facts: nvml-codes, nvml-health].
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "devices/local/rules/count_local_devices.hpp"
#include "preflight/host/rules/judge_host.hpp"

namespace rollcall {
namespace {

constexpr std::uint64_t used_memory_limit = std::uint64_t{1} << 30;

class GpuRules {
 public:
  GpuRules(const NvmlDevice& gpu, HostNotes& notes) : gpu_(gpu), notes_(notes) {}

  void run() {
    if (gpu_.result != 0) return judge_result();
    if (gpu_.is_health_late)
      fail(FindingAction::reset_device, "it did not answer when it was asked for its health",
           "a question to the driver blocks: reset the GPU, or restart the machine");
    judge_recovery();
    judge_memory_errors();
    judge_clocks();
    judge_link();
    judge_modes();
    judge_fabric();
    judge_users();
  }

 private:
  std::optional<std::uint64_t> value(const char* name) const {
    const auto found = gpu_.values.find(name);
    return found == gpu_.values.end() ? std::nullopt : std::optional<std::uint64_t>(found->second);
  }
  std::uint64_t number(const char* name) const { return value(name).value_or(0); }

  std::string name() const {
    std::string text = fmt::format("gpu {}", gpu_.index);
    if (gpu_.uuid.empty() && gpu_.bus.empty()) return text;
    return fmt::format("{} ({}{}{})", text, gpu_.uuid, gpu_.uuid.empty() || gpu_.bus.empty() ? "" : ", ", gpu_.bus);
  }
  FindingParts parts(FindingAction action, std::string hint) const {
    FindingParts made(action, std::move(hint));
    made.device = name();
    return made;
  }
  void fail(FindingAction action, std::string_view text, std::string hint) { notes_.failure("gpu", text, parts(action, std::move(hint))); }
  void warn(FindingAction action, std::string_view text, std::string hint) { notes_.warning("gpu", text, parts(action, std::move(hint))); }

  // A GPU that this container may not open is none of its own. What the library does not support is not known.
  void judge_result() {
    struct ResultRow {
      int code;
      FindingAction action;
      std::string_view hint;
    };
    static constexpr ResultRow rows[] = {
        {8, FindingAction::replace, "look at its power cable"},
        {10, FindingAction::reset_device,
         "reset the GPU, or restart the machine; without persistence mode the first question takes seconds"},
        {11, FindingAction::reboot, "restart the machine"},
        {14, FindingAction::replace, "replace it"},
        {15, FindingAction::reboot, "restart the machine; replace the GPU if it is lost again"},
        {16, FindingAction::reset_device, "reset it: nvidia-smi --gpu-reset, or restart the machine"},
        {999, FindingAction::reset_device, "the driver's messages in the kernel log say more"},
    };
    const auto row = std::find_if(std::begin(rows), std::end(rows), [this](const ResultRow& one) { return one.code == gpu_.result; });
    if (row != std::end(rows)) return fail(row->action, nvml_code_text(gpu_.result), std::string(row->hint));
    if (gpu_.result == 4 || gpu_.result == 17) return;
    notes_.unknown("gpu", fmt::format("{}: {}", name(), nvml_code_text(gpu_.result)));
  }

  void judge_recovery() {
    struct RecoveryRow {
      FindingAction action;
      std::string_view text;
      std::string_view hint;
    };
    static constexpr RecoveryRow rows[] = {
        {FindingAction::none, "", ""},
        {FindingAction::reset_device, "the driver asks for a reset of the GPU", "reset it: nvidia-smi --gpu-reset"},
        {FindingAction::reboot, "the driver asks for a restart of the machine", "restart the machine"},
        {FindingAction::reset_device, "the driver asks to end all peer-to-peer traffic", "end what runs on the GPUs of this host"},
        {FindingAction::reset_device, "the driver asks to end what runs on it, and to reset it", "end what runs there, then reset it"},
        {FindingAction::reset_device, "the driver asks to recover the IMEX domain", "recover the IMEX domain: see NVIDIA's IMEX service"},
        {FindingAction::reset_device, "the driver asks for a reset of the GPU's bus", "restart the machine if the bus cannot be reset"},
        {FindingAction::reboot, "the driver asks for a restart of the system", "restart the machine"},
    };
    const std::uint64_t action = number("recovery_action");
    if (action == 0) return;
    if (action < std::size(rows)) return fail(rows[action].action, rows[action].text, std::string(rows[action].hint));
    fail(FindingAction::reset_device, fmt::format("the driver asks for recovery action {}", action), "see the driver's documentation");
  }

  void judge_memory_errors() {
    if (number("rows_failed") != 0) fail(FindingAction::replace, "the remapping of a row of its memory has failed", "replace it");
    if (number("rows_pending") != 0)
      fail(FindingAction::reset_device, "a row of its memory is to be remapped at the next reset", "reset it: nvidia-smi --gpu-reset");
    if (number("pages_pending") != 0)
      fail(FindingAction::reset_device, "pages of its memory are to be retired at the next reset", "reset it, or restart the machine");
    if (const std::uint64_t errors = number("ecc_volatile_uncorrected"); errors != 0) {
      FindingParts made = parts(FindingAction::reset_device, "reset it; replace it if errors come again");
      made.measured = std::to_string(errors);
      made.expected = "0";
      notes_.failure("gpu", fmt::format("{} uncorrectable memory error{} since the driver was loaded", errors, errors == 1 ? "" : "s"),
                     std::move(made));
    }
  }

  void judge_clocks() {
    struct ReasonRow {
      std::uint64_t bit;
      std::string_view text;
    };
    // The first names the next two as well.
    static constexpr ReasonRow rows[] = {{0x40, "its clocks are slowed down by the hardware: it is too hot"},
                                         {0x80, "its clocks are slowed down by the hardware: the power brake is on"},
                                         {0x08, "its clocks are slowed down by the hardware"}};
    const std::uint64_t reasons = number("clocks_event_reasons");
    const auto row = std::find_if(std::begin(rows), std::end(rows), [reasons](const ReasonRow& one) { return (reasons & one.bit) != 0; });
    const std::string degrees = value("temperature") ? fmt::format(" ({} C)", number("temperature")) : std::string();
    if (row != std::end(rows))
      return fail(FindingAction::replace, fmt::format("{}{}", row->text, degrees), "look at its cooling and power");
    if ((reasons & 0x20) != 0)
      warn(FindingAction::none, fmt::format("its driver slows its clocks down: it is too hot{}", degrees), "look at its cooling");
  }

  void judge_link() {
    const std::uint64_t width = number("pcie_width");
    const std::uint64_t most = number("pcie_width_max");
    if (width == 0 || width >= most) return;
    FindingParts made = parts(FindingAction::replace, "seat it again, or replace it or its riser");
    made.measured = std::to_string(width);
    made.expected = std::to_string(most);
    notes_.failure("gpu", fmt::format("its PCIe link has {} lanes, and can have {}", width, most), std::move(made));
  }

  void judge_modes() {
    if (number("compute_mode") == 2)
      fail(FindingAction::none, "its compute mode is prohibited: no program can use it", "set it: nvidia-smi --compute-mode=DEFAULT");
    if (value("persistence") == 0)
      warn(FindingAction::none, "persistence mode is off: its first use takes seconds", "set it, or run nvidia-persistenced");
    for (const auto& [now, next, word] :
         {std::tuple("ecc_mode", "ecc_mode_pending", "ECC"), std::tuple("mig_mode", "mig_mode_pending", "MIG mode")}) {
      if (value(now) && value(next) && value(now) != value(next))
        warn(FindingAction::reset_device, fmt::format("{} will be {} after the next reset", word, value(next) == 0 ? "off" : "on"),
             "reset it, or set it back");
    }
  }

  // 0: this GPU has no fabric.
  void judge_fabric() {
    const std::uint64_t state = number("fabric_state");
    if (state == 1 || state == 2)
      fail(FindingAction::none, fmt::format("NVLink's fabric is not ready: registration {}", state == 1 ? "has not begun" : "goes on"),
           "look at nvidia-fabricmanager on this machine");
    if (state == 3 && number("fabric_status") != 0)
      fail(FindingAction::reset_device,
           fmt::format("its registration at NVLink's fabric failed: {}", nvml_code_text(static_cast<int>(number("fabric_status") % 1000))),
           "look at nvidia-fabricmanager on this machine");
    if (number("fabric_health") == 2)
      fail(FindingAction::reset_device, "NVLink's fabric is not healthy for it", "look at nvidia-fabricmanager and the switches");
    if (number("fabric_health") == 3)
      warn(FindingAction::none, "NVLink's fabric has limited capacity for it", "look at nvidia-fabricmanager and the switches");
  }

  void judge_users() {
    const std::uint64_t used = number("memory_used");
    if (used <= used_memory_limit && gpu_.users.empty()) return;
    std::string processes;
    for (const NvmlUser& user : gpu_.users) {
      if (user.pid == 0) continue;
      processes += fmt::format("{}{}", processes.empty() ? "" : ", ", user.pid);
      if (user.memory) processes += fmt::format(" ({})", size_text(*user.memory));
    }
    const std::string text = processes.empty() ? fmt::format("{} of its memory are in use", size_text(used))
                                               : fmt::format("{} of its memory are in use: process {}", size_text(used), processes);
    FindingParts made =
        parts(FindingAction::none, "end left-over processes before the job starts, or leave this check out with --checks -in_use");
    made.measured = size_text(used);
    if (used > used_memory_limit || number("compute_mode") == 3) return notes_.failure("in_use", text, std::move(made));
    notes_.warning("in_use", text, std::move(made));
  }

  const NvmlDevice& gpu_;
  HostNotes& notes_;
};

// Of several GPUs of one model some have fewer links: a host where all have the same is compared with others.
void judge_links(const std::vector<NvmlDevice>& gpus, HostNotes& notes) {
  std::map<std::string, std::uint64_t> most;
  const auto active = [](const NvmlDevice& gpu) {
    const auto found = gpu.values.find("nvlinks_active");
    return found == gpu.values.end() ? std::uint64_t{0} : found->second;
  };
  for (const NvmlDevice& gpu : gpus) most[gpu.name] = std::max(most[gpu.name], active(gpu));
  for (const NvmlDevice& gpu : gpus) {
    if (gpu.result != 0 || gpu.is_health_late || active(gpu) >= most[gpu.name]) continue;
    FindingParts parts(FindingAction::reset_device, "reset the GPUs of this host; replace it if the links stay down");
    parts.device = fmt::format("gpu {} ({}{}{})", gpu.index, gpu.uuid, gpu.uuid.empty() ? "" : ", ", gpu.bus);
    parts.measured = std::to_string(active(gpu));
    parts.expected = std::to_string(most[gpu.name]);
    notes.failure("gpu", fmt::format("{} of its NVLinks are active, and {} of others of its model", active(gpu), most[gpu.name]),
                  std::move(parts));
  }
}

// One text if all GPUs have it, else each with its count.
void fact_of_all(const std::vector<NvmlDevice>& gpus, const char* value, std::string_view fact,
                 std::string (*text_of)(const NvmlDevice&, std::uint64_t), HostNotes& notes) {
  std::map<std::string, int> texts;
  for (const NvmlDevice& gpu : gpus) {
    const auto found = gpu.values.find(value);
    if (found != gpu.values.end()) ++texts[text_of(gpu, found->second)];
  }
  std::string all;
  for (const auto& [text, count] : texts)
    all += fmt::format("{}{}{}", all.empty() ? "" : ", ", texts.size() > 1 ? fmt::format("{} x ", count) : "", text);
  notes.fact("gpu", fact, all);
}

std::string on_or_off(const NvmlDevice&, std::uint64_t value) { return value == 0 ? "off" : "on"; }
std::string link_counts(const NvmlDevice& gpu, std::uint64_t value) {
  return fmt::format("{} of {}", gpu.values.at("nvlinks_active"), value);
}

// The process itself, and the library as a whole.
void judge_answer(const HostLook& look, HostNotes& notes) {
  using End = NvmlOutcome::End;
  const NvmlOutcome& nvml = look.nvml;
  const bool has_gpus = !look.machine.nvidia_driver.empty() || !look.machine.nvidia_nodes.empty();
  const FindingParts restart(FindingAction::reboot,
                             "restart the machine, or reset its GPUs; the driver's messages in the kernel log say more");
  if (nvml.end == End::silent || nvml.end == End::died) return notes.failure("gpu", nvml.text, restart);
  if (nvml.end == End::nonsense) return notes.unknown("gpu", nvml.text);
  if (nvml.end == End::not_asked) {
    if (has_gpus)
      notes.unknown("gpu", "NVIDIA's library was not asked: the health of its GPUs is not known; leave it out with --checks=-gpu");
    return;
  }
  const NvmlReport& report = nvml.report;
  if (report.step.empty()) return;
  const int code = report.result;
  if (code == 8 || code == 11 || code == 15 || code == 18)
    return notes.failure("gpu", fmt::format("NVIDIA's driver: {}", nvml_code_text(code)), restart);
  if (!has_gpus) return;
  notes.unknown("gpu", report.step == "dlopen" ? fmt::format("NVIDIA's library could not be loaded: {}", report.message)
                                               : fmt::format("NVIDIA's library: {} failed: {}", report.step, nvml_code_text(code)));
}

}  // namespace

void judge_nvidia(const HostLook& look, HostNotes& notes) {
  judge_answer(look, notes);
  const std::vector<NvmlDevice>& gpus = look.nvml.report.devices;
  for (const NvmlDevice& gpu : gpus) GpuRules(gpu, notes).run();
  judge_links(gpus, notes);
  fact_of_all(gpus, "ecc_mode", "ecc", on_or_off, notes);
  fact_of_all(gpus, "mig_mode", "mig", on_or_off, notes);
  fact_of_all(gpus, "persistence", "persistence", on_or_off, notes);
  fact_of_all(gpus, "nvlinks", "nvlinks", link_counts, notes);
}

}  // namespace rollcall
