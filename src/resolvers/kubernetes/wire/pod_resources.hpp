// The accelerators that the containers of a pod ask for, added up as the scheduler does [facts: k8s-accelerators].
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rollcall {

/// Kinds of accelerators among the resources of Kubernetes. `other`: a resource that may be one.
enum class PodResource : std::uint8_t { gpu, tpu, neuron, neuron_core, hpu, npu, mlu, other };
/// As Accelerators::kind: `GPU`, `TPU`, `NEURON` …
std::string_view to_string(PodResource kind) noexcept;

/// The kind of the devices of a driver or a device class of Kubernetes' dynamic resource allocation, such as `gpu.nvidia.com`; none for
/// what is no accelerator.
std::optional<PodResource> claimed_resource(std::string_view driver_or_class) noexcept;

/// The kind of a resource such as `nvidia.com/mig-1g.10gb`; none for what is no accelerator (memory, networks).
std::optional<PodResource> pod_resource(std::string_view name) noexcept;

/// A quantity of whole devices: `8`, `2k`. None if it is something else, or more than a million.
std::optional<int> whole_quantity(std::string_view text) noexcept;

/// Collects what the containers of one pod ask for.
class PodResources {
 public:
  void clear() { *this = PodResources(); }
  void begin_list(bool is_of_init) { is_init_ = is_of_init; }
  void begin_container() {
    own_ = Amounts();
    is_sidecar_ = false;
  }
  void note_restart_policy(std::string_view policy) { is_sidecar_ = is_init_ && policy == "Always"; }
  bool is_of_init() const noexcept { return is_init_; }
  bool is_sidecar() const noexcept { return is_sidecar_; }
  /// `quantity`: none for one that is not understood.
  void add(PodResource kind, bool is_limit, std::optional<int> quantity);
  /// Containers run together, with the sidecars; an init container runs with the sidecars before it.
  void end_container();
  /// Devices of a claim, which the containers have besides. `quantity`: none if it is not known.
  void add_claimed(PodResource kind, std::optional<int> quantity);

  /// The kind that the pod asks for, and how many. Count 0 and no kind: none at all. No value: it is not known, or there are several kinds.
  class Total {
   public:
    std::optional<PodResource> kind;
    int count = 0;
  };
  std::optional<Total> total() const;
  friend bool operator==(const PodResources&, const PodResources&) = default;

 private:
  static constexpr std::size_t kinds = static_cast<std::size_t>(PodResource::other) + 1;
  using Counts = std::array<int, kinds>;
  class Amounts {
   public:
    Counts limits{};
    Counts requests{};
    friend bool operator==(const Amounts&, const Amounts&) = default;
  };

  Amounts own_;  // of the container that is being read
  Counts together_{};  // of the containers
  Counts sidecars_{};  // so far
  Counts first_{};  // the greatest while an init container runs
  Counts claimed_{};
  bool is_init_ = false;
  bool is_sidecar_ = false;
  bool is_unknown_ = false;
};

}  // namespace rollcall
