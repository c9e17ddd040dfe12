#include "resolvers/kubernetes/chain/rules/gang_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace rollcall {
namespace {

constexpr std::string_view begun[] = {"Running", "Scheduled", "Completed", "Finished"};

Cause said_by(const PodGroup& group, CauseLayer layer, std::string code, std::string text) {
  return Cause(layer, std::move(code), std::move(text), group.object.label());
}

std::string needed_text(const PodGroup& group) {
  return group.minimum > 1 ? fmt::format("at least {} pods have to fit at once", group.minimum) : std::string();
}

// Null: no condition says that it cannot be placed.
const KubeCondition* refusal_of(const PodGroup& group) {
  const KubeCondition* const own = find_condition(group.conditions, "PodGroupScheduled");
  if (own) return own->is_false() ? own : nullptr;
  const KubeCondition* const refused = find_condition(group.conditions, "Unschedulable");
  if (!refused || !refused->is_true()) return nullptr;
  const KubeCondition* const placed = find_condition(group.conditions, "Scheduled");
  const bool is_over = placed && placed->is_true() && placed->since >= refused->since;
  return is_over ? nullptr : refused;
}

}  // namespace

std::vector<Cause> gang_causes(const PodGroup& group) {
  std::vector<Cause> causes;
  if (std::find(std::begin(begun), std::end(begun), group.phase) != std::end(begun)) return causes;
  const bool is_queued = group.phase == "Pending" && !group.queue.empty();
  if (is_queued) {
    Cause& cause =
        causes.emplace_back(said_by(group, CauseLayer::queue, group.phase,
                                    fmt::format("Volcano's queue {} has not let it in, so that it has no pods yet", group.queue)));
    cause.since = group.object.created;
  }
  if (const KubeCondition* const refused = refusal_of(group)) {
    std::string text = refused->message;
    const std::string needed = needed_text(group);
    if (!needed.empty()) text += (text.empty() ? "" : "; ") + needed;
    Cause& cause = causes.emplace_back(
        said_by(group, CauseLayer::schedule, refused->reason.empty() ? refused->type : refused->reason, std::move(text)));
    cause.since = refused->since;
  } else if (!is_queued && (group.phase == "Pending" || group.phase == "PreScheduling" || group.phase == "Scheduling")) {
    causes.push_back(said_by(group, CauseLayer::schedule, group.phase, needed_text(group)));
  }
  return causes;
}

}  // namespace rollcall
