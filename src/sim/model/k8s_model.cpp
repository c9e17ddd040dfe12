#include "sim/model/k8s_model.hpp"

#include <algorithm>

namespace rollcall::sim {

std::uint64_t kube_version_at(const KubernetesModel& model, Duration now) {
  const auto after =
      std::upper_bound(model.events.begin(), model.events.end(), now, [](Duration t, const KubeEvent& event) { return t < event.at; });
  return model.first_version + static_cast<std::uint64_t>(after - model.events.begin());
}

const KubePodState* kube_state_at(const KubePod& pod, std::uint64_t version) {
  const auto after = std::upper_bound(pod.states.begin(), pod.states.end(), version,
                                      [](std::uint64_t v, const KubePodState& state) { return v < state.version; });
  if (after == pod.states.begin()) return nullptr;
  const KubePodState& state = *std::prev(after);
  return state.is_gone ? nullptr : &state;
}

const KubeObjectState* kube_state_at(const KubeObject& object, std::uint64_t version) {
  const auto after = std::upper_bound(object.states.begin(), object.states.end(), version,
                                      [](std::uint64_t v, const KubeObjectState& state) { return v < state.version; });
  if (after == object.states.begin()) return nullptr;
  const KubeObjectState& state = *std::prev(after);
  return state.is_gone ? nullptr : &state;
}

std::uint64_t kube_shown_version(const KubeObject& object, std::uint64_t version) {
  const KubeObjectState* const state = kube_state_at(object, version);
  std::uint64_t shown = state ? state->version : 0;
  const auto after = std::upper_bound(object.changes.begin(), object.changes.end(), version);
  if (after != object.changes.begin()) shown = std::max(shown, *std::prev(after));
  return shown;
}

const KubeEvent* kube_event_of(const KubernetesModel& model, std::uint64_t version) {
  if (version <= model.first_version || version - model.first_version > model.events.size()) return nullptr;
  return &model.events[version - model.first_version - 1];
}

std::uint64_t kube_oldest_listed(const KubernetesModel& model, Duration now) {
  if (!model.history || now < *model.history) return 0;
  return kube_version_at(model, now - *model.history);
}

std::uint64_t kube_oldest_watched(const KubernetesModel& model, Duration now) {
  std::uint64_t oldest = kube_oldest_listed(model, now);
  for (const Duration restart : model.restarts) {  // a restart empties the watch cache
    if (restart <= now) oldest = std::max(oldest, kube_version_at(model, restart));
  }
  return oldest;
}

}  // namespace rollcall::sim
