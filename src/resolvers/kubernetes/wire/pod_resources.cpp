#include "resolvers/kubernetes/wire/pod_resources.hpp"

#include <algorithm>

#include "base/saturating.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

struct ResourceRow {
  std::string_view name;
  PodResource kind;
  bool is_prefix = false;
};

constexpr ResourceRow accelerator_resources[] = {
    {"nvidia.com/gpu", PodResource::gpu},
    {"nvidia.com/gpu.shared", PodResource::gpu},
    {"nvidia.com/mig-", PodResource::gpu, true},
    {"amd.com/gpu", PodResource::gpu},
    {"amd.com/spx_", PodResource::gpu, true},  // partitions, by their mode
    {"amd.com/dpx_", PodResource::gpu, true},
    {"amd.com/tpx_", PodResource::gpu, true},
    {"amd.com/qpx_", PodResource::gpu, true},
    {"amd.com/cpx_", PodResource::gpu, true},
    {"gpu.intel.com/i915", PodResource::gpu},
    {"gpu.intel.com/xe", PodResource::gpu},
    {"google.com/tpu", PodResource::tpu},
    {"aws.amazon.com/neuron", PodResource::neuron},
    {"aws.amazon.com/neurondevice", PodResource::neuron},
    {"aws.amazon.com/neuroncore", PodResource::neuron_core},
    {"habana.ai/gaudi", PodResource::hpu},
    {"huawei.com/Ascend", PodResource::npu, true},
    {"furiosa.ai/", PodResource::npu, true},
    {"rebellions.ai/", PodResource::npu, true},
    {"cambricon.com/mlu", PodResource::mlu},
};

// Drivers and device classes of claims [facts: k8s-claims].
constexpr ResourceRow claimed_resources[] = {
    {"gpu.nvidia.com", PodResource::gpu}, {"mig.nvidia.com", PodResource::gpu},    {"vfio.gpu.nvidia.com", PodResource::gpu},
    {"gpu.amd.com", PodResource::gpu},    {"gpu.intel.com", PodResource::gpu},     {"gaudi.intel.com", PodResource::hpu},
    {"tpu.google.com", PodResource::tpu}, {"neuron.aws.com", PodResource::neuron},
};
constexpr std::string_view no_claimed_accelerators[] = {"compute-domain", "dra.net", "dra.cpu", "sriovnetwork."};

// A resource whose devices a claim that is made for the pod provides: the class follows.
constexpr std::string_view class_prefix = "deviceclass.resource.kubernetes.io/";

// Networks, memory and files; `gpu.intel.com/` has also monitors and parts of devices.
constexpr std::string_view no_accelerators[] = {"rdma/",         "nvidia.com/hostdev", "vpc.amazonaws.com/",   "networking.gke.io",
                                                "hugepages-",    "smarter-devices/",   "devices.kubevirt.io/", "gpu.intel.com/",
                                                "openshift.io/", "kubernetes.io/"};

}  // namespace

std::string_view to_string(PodResource kind) noexcept {
  switch (kind) {
    case PodResource::gpu: return "GPU";
    case PodResource::tpu: return "TPU";
    case PodResource::neuron: return "NEURON";
    case PodResource::neuron_core: return "NEURON_CORE";
    case PodResource::hpu: return "HPU";
    case PodResource::npu: return "NPU";
    case PodResource::mlu: return "MLU";
    case PodResource::other: break;
  }
  return "";
}

std::optional<PodResource> claimed_resource(std::string_view driver_or_class) noexcept {
  for (const ResourceRow& row : claimed_resources) {
    if (driver_or_class == row.name) return row.kind;
  }
  const bool is_none = std::any_of(std::begin(no_claimed_accelerators), std::end(no_claimed_accelerators),
                                   [driver_or_class](std::string_view prefix) { return driver_or_class.starts_with(prefix); });
  return is_none ? std::nullopt : std::optional<PodResource>(PodResource::other);
}

std::optional<PodResource> pod_resource(std::string_view name) noexcept {
  if (name.starts_with(class_prefix)) return claimed_resource(name.substr(class_prefix.size()));
  if (name.find('/') == std::string_view::npos) return std::nullopt;  // cpu, memory
  for (const ResourceRow& row : accelerator_resources) {
    if (row.is_prefix ? name.starts_with(row.name) : name == row.name) return row.kind;
  }
  const bool is_none = std::any_of(std::begin(no_accelerators), std::end(no_accelerators),
                                   [name](std::string_view prefix) { return name.starts_with(prefix); });
  return is_none ? std::nullopt : std::optional<PodResource>(PodResource::other);
}

std::optional<int> whole_quantity(std::string_view text) noexcept {
  constexpr int most = 1'000'000;
  const bool is_in_thousands = text.ends_with('k');
  if (is_in_thousands) text.remove_suffix(1);
  const std::optional<int> number = parse_decimal<int>(text, 0, is_in_thousands ? most / 1000 : most);
  return number && is_in_thousands ? std::optional<int>(*number * 1000) : number;
}

void PodResources::add(PodResource kind, bool is_limit, std::optional<int> quantity) {
  if (!quantity) {
    is_unknown_ = true;
    return;
  }
  // A container may ask for parts of GPUs of several sizes, such as MIG's: their numbers are added.
  int& slot = (is_limit ? own_.limits : own_.requests)[static_cast<std::size_t>(kind)];
  slot = saturating_sum(slot, *quantity);
}

void PodResources::end_container() {
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const int own = std::max(own_.limits[kind], own_.requests[kind]);  // a request of such a resource equals its limit
    if (is_sidecar_) {
      sidecars_[kind] = saturating_sum(sidecars_[kind], own);
    } else if (is_init_) {
      first_[kind] = std::max(first_[kind], saturating_sum(sidecars_[kind], own));
    } else {
      together_[kind] = saturating_sum(together_[kind], own);
    }
  }
}

void PodResources::add_claimed(PodResource kind, std::optional<int> quantity) {
  int& count = claimed_[static_cast<std::size_t>(kind)];
  count = saturating_sum(count, quantity.value_or(0));
  if (!quantity) is_unknown_ = true;
}

std::optional<PodResources::Total> PodResources::total() const {
  if (is_unknown_) return std::nullopt;
  Total total;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const int own = std::max(saturating_sum(together_[kind], sidecars_[kind]), first_[kind]);
    const int count = saturating_sum(own, claimed_[kind]);
    if (count == 0) continue;
    if (static_cast<PodResource>(kind) == PodResource::other) {
      if (total.kind) continue;  // beside accelerators, such a resource is rarely one
      return std::nullopt;
    }
    if (total.kind) return std::nullopt;
    total.kind = static_cast<PodResource>(kind);
    total.count = count;
  }
  return total;
}

}  // namespace rollcall
