#include "resolvers/kubernetes/rules/pod_details.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "accelerator/gpu_model.hpp"
#include "base/text.hpp"

namespace rollcall {

/// A generation of TPUs as GKE names it.
class GkeTpu {
 public:
  std::string_view name;  ///< the value of cloud.google.com/gke-tpu-accelerator
  std::string_view generation;
  std::string_view config;  ///< AcceleratorConfig.Type of the TPU API
  int devices_per_chip = 1;
};

namespace {

// [facts: gke-tpu-labels]
// clang-format off: a row a line
constexpr GkeTpu gke_tpus[] = {
    {"tpu-v3-device", "v3", "V3", 2},
    {"tpu-v3-slice", "v3", "V3", 2},
    {"tpu-v4-podslice", "v4", "V4"},
    {"tpu-v5-lite-device", "v5litepod", "V5LITE_POD"},
    {"tpu-v5-lite-podslice", "v5litepod", "V5LITE_POD"},
    {"tpu-v5p-slice", "v5p", "V5P"},
    {"tpu-v6e-device", "v6e", "V6E"},
    {"tpu-v6e-slice", "v6e", "V6E"},
    {"tpu7x", "tpu7x", "TPU7X", 2},
    {"tpu7x-slice", "tpu7x", "TPU7X", 2},
};
// clang-format on

// The name of the type, if it says the topology, too; else the generation and the topology. Empty: there is no such type.
std::string tpu_type_text(const GkeTpu& tpu, std::string_view topology) {
  const Result<AcceleratorType> type = AcceleratorType::from_config(tpu.config, topology);
  if (!type) return {};
  const Result<AcceleratorType> usual = AcceleratorType::parse(type->name());
  const std::string extent = type->topology().to_text();
  if (usual && usual->topology().to_text() == extent) return type->name();
  return fmt::format("{}-{}", tpu.generation, extent);
}

constexpr std::string_view limits_source = "resource limits";

void take_tpu(const Pod& pod, PodDetails& details) {
  const std::string_view name = pod.node_label(NodeLabel::tpu_accelerator);
  const auto found = std::find_if(std::begin(gke_tpus), std::end(gke_tpus), [name](const GkeTpu& one) { return one.name == name; });
  if (found == std::end(gke_tpus)) {
    details.accelerators->model = printable(name, 64);
    return;
  }
  details.tpu = found;
  details.tpu_topology = pod.node_label(NodeLabel::tpu_topology);
  details.accelerators->model = found->generation;
  details.accelerators->count *= found->devices_per_chip;  // the resource counts chips
}

// `pod`: gives the labels of its node.
void take_accelerators(const Pod& pod, const PodResources& resources, std::string_view source, PodDetails& details) {
  const std::optional<PodResources::Total> total = resources.total();
  if (!total) return;
  const std::string kind(total->kind ? to_string(*total->kind) : std::string_view());
  details.accelerators.emplace(kind, total->count, std::string(source));
  if (total->kind == PodResource::tpu) take_tpu(pod, details);
  if (total->kind == PodResource::gpu) details.accelerators->model = printable(gpu_model(pod.node_label(NodeLabel::gpu_model)), 64);
}

std::optional<int> label_number(const Pod& pod, PodLabel label) { return parse_decimal<int>(pod.label(label)); }

// Removes the parts of a pod's name that its controller has added to the name of its job or group.
std::string_view name_of_part(std::string_view pod, int suffixes) {
  for (; suffixes > 0; --suffixes) pod = pod.substr(0, pod.rfind('-'));
  return pod;
}

std::optional<MemberPart> part_in_job_set(const Pod& pod) {
  const std::optional<int> job = label_number(pod, PodLabel::jobset_job_index);
  const std::optional<int> member = label_number(pod, PodLabel::completion_index);
  const int jobs = label_number(pod, PodLabel::jobset_replicas).value_or(0);
  const int all = label_number(pod, PodLabel::jobset_global_replicas).value_or(jobs);
  if (!job || !member || all == 1 || (jobs > 0 && *job >= jobs)) return std::nullopt;
  MemberPart part("job", *job, jobs);
  part.member = *member;
  const std::string_view name = pod.label(PodLabel::job_name);
  part.name = printable(name.empty() ? name_of_part(pod.name, 2) : name, 300);
  return part;
}

// No label says how many groups a LeaderWorkerSet has.
std::optional<MemberPart> part_in_leader_worker_set(const Pod& pod) {
  const std::optional<int> group = label_number(pod, PodLabel::lws_group_index);
  const std::optional<int> member = label_number(pod, PodLabel::lws_worker_index);
  if (!group || !member) return std::nullopt;
  MemberPart part("group", *group, 0);
  part.member = *member;
  part.members = label_number(pod, PodLabel::lws_size).value_or(0);
  part.name = printable(*member == 0 ? std::string_view(pod.name) : name_of_part(pod.name, 1), 300);
  return part;
}

}  // namespace

std::shared_ptr<const PodDetails> pod_details(const Pod& pod) {
  if (!pod.is_detailed) return nullptr;
  auto details = std::make_shared<PodDetails>();
  details->node = printable(pod.node, 253);
  if (pod.claims.empty()) {
    take_accelerators(pod, pod.resources, limits_source, *details);
  } else {
    auto claiming = std::make_shared<Pod>();
    claiming->resources = pod.resources;
    claiming->claims = pod.claims;
    claiming->node_labels = pod.node_labels;
    details->claiming = std::move(claiming);
  }
  details->role = pod_role(pod);
  if (!pod.label(PodLabel::jobset_name).empty()) {
    details->part = part_in_job_set(pod);
  } else if (!pod.label(PodLabel::lws_name).empty()) {
    details->part = part_in_leader_worker_set(pod);
  }
  return details;
}

void set_claimed_accelerators(PodDetails& details, const PodResources& resources, bool is_shared) {
  const std::optional<PodResources::Total> own = details.claiming->resources.total();
  const bool has_limits = own && own->kind;
  take_accelerators(*details.claiming, resources, has_limits ? "resource limits and claims" : "resource claims", details);
  if (details.accelerators) details.accelerators->is_shared = is_shared;
}

std::size_t memory_of(const PodDetails& details) {
  std::size_t bytes = sizeof(PodDetails) + 32;
  const auto add = [&bytes](const std::string& text) { bytes += text.size() > 15 ? text.capacity() + 17 : 0; };
  add(details.node);
  add(details.tpu_topology);
  add(details.role.name);
  if (details.accelerators) add(details.accelerators->model);
  if (details.part) add(details.part->name);
  if (details.claiming) bytes += sizeof(Pod) + 32 + memory_of(details.claiming->claims);
  return bytes;
}

void CommonHardware::take(const PodDetails& details) {
  if (!details.accelerators) return;
  const std::string& kind = details.accelerators->kind;
  if (kind.empty()) {
    has_none_ = true;
    return;
  }
  has_several_kinds_ = has_several_kinds_ || (!kind_.empty() && kind_ != kind);
  kind_ = kind;
  if (kind != to_string(PodResource::tpu)) return;
  if (!tpu_) tpu_ = &details;
  has_several_tpus_ = has_several_tpus_ || tpu_->tpu != details.tpu || tpu_->tpu_topology != details.tpu_topology;
}

void CommonHardware::finish(ClusterStatus& status) const {
  if (tpu_ && tpu_->tpu && !has_several_tpus_) status.accelerator_type = tpu_type_text(*tpu_->tpu, tpu_->tpu_topology);
  if (!has_none_) return;
  for (Member& member : status.members) {
    if (!member.accelerators || !member.accelerators->kind.empty()) continue;
    if (kind_.empty() || has_several_kinds_) {
      member.accelerators.reset();
    } else {
      Accelerators none = *member.accelerators;
      none.kind = kind_;
      member.accelerators = std::move(none);
    }
  }
}

}  // namespace rollcall
