// Collects what the status of one pod says of its conditions and containers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resolvers/kubernetes/wire/pod.hpp"
#include "resolvers/kubernetes/wire/pod_list_fields.hpp"

namespace rollcall {

class PodStateBuilder {
 public:
  PodStateBuilder() {}
  PodStateBuilder(const PodStateBuilder&) = delete;
  PodStateBuilder& operator=(const PodStateBuilder&) = delete;

  // Nearly all pods run, and the times of nearly all of their conditions do not matter.
  bool is_time_unneeded(const Pod& pod) const {
    return std::string_view(condition_.status) == "True" && std::string_view(pod.phase) == "Running" &&
           std::string_view(condition_.type) != "DisruptionTarget";
  }

  // Keep the value of a field of the current place, cut.
  void keep_text(PodField field, std::string_view text);
  void keep_flag(PodField field, bool value);
  void keep_number(PodField field, std::int64_t value);

  /// An object that contains a state, or is one, or a list of containers begins.
  void begin(PodField field);
  void end_condition(Pod& pod);
  void end_container();
  /// A container of the spec ends.
  void end_asked_container(bool is_sidecar);
  /// Gives the pod its state, unless it is well; and begins the next one.
  void finish(Pod& pod, bool is_detailed);

 private:
  PodState state_;
  PodCondition condition_;
  PodContainer container_;
  ContainerState* part_ = &container_.state;  // that is being read
  bool is_init_ = false;
  std::string asked_name_;
  std::optional<Duration> grace_;
  std::vector<std::string> sidecars_;
};

}  // namespace rollcall
