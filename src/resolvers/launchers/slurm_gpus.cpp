#include "resolvers/launchers/slurm_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "accelerator/visible_devices.hpp"
#include "base/text.hpp"
#include "resolvers/launchers/slurm_plan.hpp"

namespace rollcall {
namespace {

constexpr int max_gpus_read = 65'536;

// CUDA's list ends at the first number that is no device, such as -1.
Result<int> count_listed(std::string_view name, std::string_view list) {
  list = trim(list);
  if (list.empty() || equals_ignoring_case(list, "NoDevFiles") || list.starts_with('-')) return 0;
  const auto commas = std::count(list.begin(), list.end(), ',');
  if (commas >= max_gpus_read) return Failure(Errc::invalid_argument, fmt::format("slurm: {} has too many fields", name));
  return static_cast<int>(commas) + 1;
}

// `8`, `h100:4`, `h100:4,a100:2`: the numbers behind the last colons or equals signs, none is 1.
std::optional<int> count_asked(std::string_view text) {
  if (text.empty()) return std::nullopt;
  int sum = 0;
  for (const std::string_view part : split(text, ',')) {
    const auto number = parse_decimal<int>(part.substr(part.find_last_of(":=") + 1), 0, max_gpus_read);
    if (!number) return std::nullopt;
    sum = std::min(sum + *number, max_gpus_read);
  }
  return sum;
}

// The GPUs in `cpu=2,gres/gpu=2` or `gres/gpu:h100=2`.
std::optional<int> count_gpus_of_task(std::string_view text) {
  for (const std::string_view part : split(text, ',')) {
    if (part.starts_with("gres/gpu") || part.starts_with("gres:gpu")) return count_asked(part);
  }
  return std::nullopt;
}

// The way of binding in `gpu:per_task:2` or `gres/gpu:per_task:2`; empty: none.
std::string_view binding_of(std::string_view text) {
  const std::size_t gpu = text.find("gpu:");
  if (gpu != std::string_view::npos) text = text.substr(gpu + 4);
  return text.starts_with("none") ? std::string_view() : text;
}

}  // namespace

SlurmGpus::SlurmGpus(const Environment& environment) : listed(0) {
  for (const std::string_view name : {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"}) {
    const std::optional<std::string> list = environment.get(name);
    if (!list || visible || is_unclear) continue;
    visible = count_visible(*list);
    is_unclear = !visible;
    if (name != "CUDA_VISIBLE_DEVICES") continue;
    is_listed = true;
    listed = count_listed(name, *list);
  }
  if (const std::optional<std::string> hip = environment.get("HIP_VISIBLE_DEVICES")) take_hip(environment, *hip);
  on_node_text = slurm_text(environment, {"SLURM_GPUS_ON_NODE"});
  on_node = parse_decimal<int>(on_node_text, 0, max_gpus_read);
  const std::string bind = slurm_text(environment, {"SLURMD_TRES_BIND", "SLURM_TRES_BIND"});
  const std::string_view binding = binding_of(bind);
  is_bound = !binding.empty();
  is_bound_evenly = binding.starts_with("per_task") || binding.starts_with("single");
  each = count_asked(slurm_text(environment, {"SLURM_GPUS_PER_TASK"}));
  if (!each) each = count_gpus_of_task(slurm_text(environment, {"SLURM_TRES_PER_TASK"}));
  if (binding.starts_with("per_task:")) each = count_asked(binding);
  if (binding.starts_with("single")) each = 1;
  per_node = count_asked(slurm_text(environment, {"SLURM_GPUS_PER_NODE"}));
  total = count_asked(slurm_text(environment, {"SLURM_GPUS"}));
  job_nodes = parse_decimal<int>(slurm_text(environment, {"SLURM_JOB_NUM_NODES"}));
  const bool has_job_gpus = !slurm_text(environment, {"SLURM_JOB_GPUS"}).empty();
  is_without = has_job_gpus && !on_node && !visible && slurm_text(environment, {"SLURM_STEP_GPUS"}).empty();
}

// HIP numbers what ROCr has left: a number beyond it ends the list.
void SlurmGpus::take_hip(const Environment& environment, std::string_view list) {
  if (const std::optional<std::string> rocr = environment.get("ROCR_VISIBLE_DEVICES")) {
    visible = count_visible(*rocr);
    is_unclear = !visible;
  } else if (visible) {
    return;  // of another vendor
  }
  if (is_unclear) return;
  std::string left;
  for (const std::string_view part : split(list, ',')) {
    const std::optional<int> index = parse_decimal<int>(trim(part));
    if (index && visible && *index >= *visible) break;
    left += left.empty() ? "" : ",";
    left += part;
  }
  visible = count_visible(left);
  is_unclear = !visible;
}

Result<int> SlurmGpus::upstream_count() const {
  if (is_listed) return listed;
  if (on_node_text.empty() || on_node) return on_node.value_or(0);
  return Failure(Errc::invalid_argument,
                 fmt::format("slurm: SLURM_GPUS_ON_NODE is {}, not a number from 0 to {}", quoted(on_node_text, 80), max_gpus_read));
}

bool SlurmGpus::is_shared(int tasks) const {
  if (tasks < 2 || is_bound) return false;
  if (!visible) return true;
  // Without Slurm's number the list is the site's own, the same for all tasks.
  return on_node ? *visible == *on_node : *visible >= tasks || *visible == 0;
}

std::optional<int> SlurmGpus::of_task(int tasks) const {
  if (is_without) return 0;
  if (is_unclear) return std::nullopt;
  if (is_shared(tasks)) {
    const std::optional<int> shared = on_node ? on_node : visible;
    return shared ? std::optional<int>(*shared / tasks) : std::nullopt;
  }
  if (visible) return visible;
  return is_bound ? each : on_node;
}

namespace {

class AcceleratorsOfSlots {
 public:
  AcceleratorsOfSlots(const SlurmGpus& gpus, const SlurmOptions& options, const SlurmPlan& plan, std::size_t own_node)
      : gpus_(gpus), options_(options), plan_(plan), own_node_(own_node), own_tasks_(plan.nodes[own_node].tasks) {}

  std::optional<Accelerators> of(std::size_t slot) const {
    const std::size_t node = plan_.slots[slot].node;
    const int tasks = plan_.nodes[node].tasks;
    const bool is_shared = gpus_.is_shared(own_tasks_);
    if (options_.gpus_per_task()) {
      const int count = *options_.gpus_per_task();
      return gpus_.is_bound || (own_tasks_ > 1 && !is_shared && gpus_.visible) ? own(count, "gpus_per_task")
                                                                               : of_machine(count, tasks, "gpus_per_task");
    }
    if (options_.gpus_per_node()) return of_machine(*options_.gpus_per_node(), 1, "gpus_per_node");
    if (gpus_.is_without) return own(0, "SLURM_JOB_GPUS without SLURM_STEP_GPUS");
    const std::optional<int> count = gpus_.of_task(own_tasks_);
    if (!count) return std::nullopt;
    if (node == own_node_ && (is_shared || own_tasks_ == 1)) return like_own(tasks);
    const bool is_own_task = node == own_node_ && static_cast<int>(slot) == plan_.rank && plan_.outside.empty();
    if (is_own_task || (gpus_.is_bound && gpus_.is_bound_evenly)) return own(*count, of_list());
    if (is_shared || own_tasks_ == 1) return of_other_node(*count, tasks);
    // Each task sees its own, equally many where they add up.
    const bool is_even = gpus_.on_node && static_cast<long>(*count) * own_tasks_ == *gpus_.on_node;
    return is_even && tasks == own_tasks_ ? std::optional<Accelerators>(own(*count, of_list())) : std::nullopt;
  }

 private:
  static Accelerators own(int count, std::string source) { return Accelerators("GPU", count, std::move(source)); }

  static Accelerators of_machine(int count, int times, std::string source) {
    Accelerators all("GPU", static_cast<int>(std::min<long>(static_cast<long>(count) * times, 1'000'000'000)), std::move(source));
    all.is_shared = true;
    return all;
  }

  static std::string of_list() { return "the visible devices of this task"; }

  // A node with as many GPUs, which its tasks share.
  Accelerators like_own(int tasks) const {
    const int count = gpus_.is_shared(own_tasks_) || tasks > 1 ? gpus_.on_node.value_or(gpus_.visible.value_or(0))
                                                               : gpus_.visible.value_or(gpus_.on_node.value_or(0));
    return of_machine(count, 1, gpus_.on_node ? "SLURM_GPUS_ON_NODE of this node" : of_list());
  }

  std::optional<Accelerators> of_other_node(int count, int tasks) const {
    if (gpus_.each && static_cast<long>(*gpus_.each) * own_tasks_ == gpus_.on_node.value_or(-1))
      return of_machine(*gpus_.each, tasks, "GPUs for each task");
    const long of_node = gpus_.on_node.value_or(gpus_.visible.value_or(count));
    if (gpus_.total) {
      const auto adds_up = [&](std::size_t nodes) { return of_node * static_cast<long>(nodes) == *gpus_.total; };
      const bool is_even = adds_up(plan_.nodes.size()) || (gpus_.job_nodes && adds_up(static_cast<std::size_t>(*gpus_.job_nodes)));
      if (!is_even) return std::nullopt;
    }
    if (tasks == own_tasks_ || (gpus_.per_node && *gpus_.per_node == of_node)) return like_own(tasks);
    return std::nullopt;
  }

  const SlurmGpus& gpus_;
  const SlurmOptions& options_;
  const SlurmPlan& plan_;
  std::size_t own_node_;
  int own_tasks_;
};

}  // namespace

std::optional<Accelerators> slurm_accelerators(const SlurmGpus& gpus, const SlurmOptions& options, const SlurmPlan& plan, std::size_t slot,
                                               std::size_t own_node) {
  return AcceleratorsOfSlots(gpus, options, plan, own_node).of(slot);
}

}  // namespace rollcall
