// What a pod's labels say about its place among the pods of its workload. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "resolvers/kubernetes/wire/pod.hpp"

namespace rollcall {

enum class PodConvention : std::uint8_t { none, jobset, leader_worker_set, kubeflow, ray, indexed_job, stateful_set };
std::string_view to_string(PodConvention convention) noexcept;  // "JobSet" …

class PodPosition {
 public:
  PodPosition() {}
  PodConvention convention = PodConvention::none;
  PodConvention workload = PodConvention::none;  ///< what its labels name, even if it has no index there
  std::string group;            ///< `namespace/workload[/part]`: positions are comparable within one
  std::array<int, 2> index{};   ///< the last is the one that must be without gaps
};

/// Of the first convention that applies, in the order of the enumerators; its `convention` is none when an index is missing or no number.
PodPosition pod_position(const Pod& pod);

}  // namespace rollcall
