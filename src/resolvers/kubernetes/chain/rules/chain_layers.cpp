#include "resolvers/kubernetes/chain/rules/chain_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/order.hpp"
#include "resolvers/kubernetes/chain/rules/gang_rules.hpp"

namespace rollcall::chain_detail {
namespace {

constexpr std::string_view start_reasons[] = {
    "FailedMount",     "FailedAttachVolume", "FailedMapVolume", "FailedCreatePodSandBox", "FailedPrepareDynamicResources",
    "NetworkNotReady", "FailedSync",
};
// What a pod says of itself while its volumes, its network and its images are prepared.
constexpr std::string_view start_codes[] = {"ContainerCreating", "PodInitializing", "Waiting"};
constexpr Duration time_to_schedule = std::chrono::seconds(30);
constexpr std::string_view unseen_by_scheduler = "NoScheduler";

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

Cause cause_of(CauseLayer layer, const KubeEvent& event, std::string object) {
  Cause cause(layer, event.reason, event.message, std::move(object));
  cause.since = event.first ? event.first : event.at;
  return cause;
}

bool is_start_cause(const Cause& cause) { return cause.layer >= CauseLayer::volume && is_one_of(cause.code, start_codes); }

// Its containers have not run yet, and it says no reason of its own for that.
bool is_starting(const Member& member) {
  if (member.host.empty() || member.state.level == MemberState::lost || member.state.level == MemberState::ready) return false;
  return std::all_of(member.causes.begin(), member.causes.end(),
                     [](const Cause& cause) { return cause.layer <= CauseLayer::node || is_start_cause(cause); });
}

const StuckPod* pod_of(const Member& member, const ChainFacts& facts) {
  const auto found = std::find_if(facts.pods.begin(), facts.pods.end(),
                                  [&member](const StuckPod& pod) { return !member.uid.empty() && pod.object.uid == member.uid; });
  return found == facts.pods.end() ? nullptr : &*found;
}

// The claims of a member whose pod was not read: those that all pods of its job have that were, if these are several.
std::vector<std::string> usual_claims(const Member& member, const ChainFacts& facts) {
  std::vector<std::string> claims;
  std::size_t count = 0;
  for (const StuckPod& pod : facts.pods) {
    if (pod.job != member.job) continue;
    if (count++ == 0) claims = pod.claims;
    std::erase_if(claims,
                  [&pod](const std::string& one) { return std::find(pod.claims.begin(), pod.claims.end(), one) == pod.claims.end(); });
  }
  if (count < 2) claims.clear();
  return claims;
}

// True if the scheduler says that the pod lacks something else than volumes. Many a claim is bound only when its pod has a node.
bool lacks_other_than_volumes(const Member& member) {
  const auto said = std::find_if(member.causes.begin(), member.causes.end(), [](const Cause& one) { return one.code == "Unschedulable"; });
  if (said == member.causes.end() || said->text.empty()) return false;
  return said->text.find("olume") == std::string::npos;  // PersistentVolumeClaims, persistentvolumeclaim "x", volume node affinity
}

// A claim that is not bound holds its pod up, and the scheduler does not name it.
void explain_claims(Member& member, const StuckPod* pod, const ChainFacts& facts) {
  const std::vector<std::string> claims = pod ? pod->claims : usual_claims(member, facts);
  for (const VolumeClaim& claim : facts.claims) {
    const bool is_mine = member.name.starts_with(claim.object.namespace_name + "/") &&
                         std::find(claims.begin(), claims.end(), claim.object.name) != claims.end();
    if (!is_mine || claim.is_bound()) continue;
    const KubeEvent* latest = nullptr;
    for (const KubeEvent* const event : facts.events.of(claim.object.uid)) {
      if (event->type != "Normal") latest = event;
    }
    if (!latest && lacks_other_than_volumes(member)) continue;
    std::string text = "it is " + (claim.phase.empty() ? std::string("not bound") : claim.phase);
    if (!claim.storage_class.empty()) text += ", storage class " + claim.storage_class;
    if (latest) text += ": " + latest->message;
    Cause cause(CauseLayer::schedule, latest ? latest->reason : "UnboundClaim", std::move(text),
                "PersistentVolumeClaim " + claim.object.name);
    cause.since = claim.object.created;
    const auto place =
        std::find_if(member.causes.begin(), member.causes.end(), [](const Cause& one) { return one.layer >= CauseLayer::schedule; });
    member.causes.insert(place, std::move(cause));  // before the scheduler's own words
  }
}

// The scheduler says the same of a cluster that is full and of one whose machines are too small.
void explain_size(Member& member, const StuckPod* pod, const ChainFacts& facts) {
  if (!pod || !facts.largest) return;
  for (const auto& [resource, asked] : pod->requests) {
    const LargestNode largest = facts.largest->of(resource);
    if (asked <= largest.count) continue;
    std::string text = largest.count == 0 ? fmt::format("no node has {} ({} asked)", resource, asked)
                                          : fmt::format("no node has more than {} {} ({} asked)", largest.count, resource, asked);
    add_cause(member.causes, Cause(CauseLayer::schedule, "NodesTooSmall", std::move(text),
                                   largest.count == 0 ? fmt::format("{} nodes", facts.largest->nodes) : "Node " + largest.node));
  }
}

// The pod of the member, or another of its job: they have one template.
const StuckPod* pod_like(const Member& member, const ChainFacts& facts) {
  if (const StuckPod* const own = pod_of(member, facts)) return own;
  const auto found = std::find_if(facts.pods.begin(), facts.pods.end(), [&member](const StuckPod& pod) { return pod.job == member.job; });
  return found == facts.pods.end() ? nullptr : &*found;
}

}  // namespace

bool has_layer(const std::vector<Cause>& causes, CauseLayer layer) {
  return std::any_of(causes.begin(), causes.end(), [layer](const Cause& cause) { return cause.layer == layer; });
}

void add_cause(std::vector<Cause>& causes, Cause cause) {
  const bool is_known = std::any_of(causes.begin(), causes.end(), [&cause](const Cause& one) {
    return one.layer == cause.layer && one.code == cause.code && one.text == cause.text && one.object == cause.object;
  });
  if (!is_known) causes.push_back(std::move(cause));
}

void put_in_order(std::vector<Cause>& causes) {
  const auto is_outer = [](const Cause& a, const Cause& b) { return a.layer < b.layer; };
  if (!std::is_sorted(causes.begin(), causes.end(), is_outer)) sort_stably(causes, is_outer);
  if (causes.size() > max_causes) causes.resize(max_causes);
}

const KubeEvent* latest_warning(const ChainFacts& facts, std::string_view uid, Duration within) {
  const KubeEvent* latest = nullptr;
  for (const KubeEvent* const event : facts.events.of(uid)) {
    if (event->type != "Normal" && event->at && facts.at - *event->at < within) latest = event;
  }
  return latest;
}

void explain_start(Member& member, const ChainFacts& facts) {
  if (!is_starting(member)) return;
  std::vector<Cause> found;
  for (const KubeEvent* const event : facts.events.of(member.uid)) {
    if (is_one_of(event->reason, start_reasons)) {
      found.push_back(cause_of(CauseLayer::volume, *event, "Pod " + member.name));
      continue;
    }
    if (event->reason != "Pulling") continue;
    const KubeEvent* const pulled = facts.events.find(member.uid, "Pulled", event->container);
    const KubeEvent* const failed = facts.events.find(member.uid, "Failed", event->container);
    const auto is_over = [event](const KubeEvent* other) { return other && other->at >= event->at; };
    if (is_over(pulled) || is_over(failed)) continue;
    Cause pull = cause_of(CauseLayer::image, *event, event->container.empty() ? "Pod " + member.name : "container " + event->container);
    pull.since = event->at;
    found.push_back(std::move(pull));
  }
  // A pull begins only after the volumes are mounted: an earlier trouble with them is over.
  const auto pull = std::find_if(found.begin(), found.end(), [](const Cause& one) { return one.layer == CauseLayer::image; });
  if (pull != found.end()) std::erase_if(found, [](const Cause& one) { return one.layer == CauseLayer::volume; });
  if (found.empty()) return;
  std::erase_if(member.causes, is_start_cause);
  for (Cause& cause : found) add_cause(member.causes, std::move(cause));
}

void explain_place(Member& member, const ChainFacts& facts) {
  if (!member.host.empty() || member.state.level == MemberState::lost || has_layer(member.causes, CauseLayer::gate)) return;
  const StuckPod* const pod = pod_of(member, facts);
  explain_claims(member, pod, facts);
  explain_size(member, pod_like(member, facts), facts);
  if (pod && !pod->nominated_node.empty()) {
    add_cause(member.causes,
              Cause(CauseLayer::schedule, "Preempting", "room is being made for it by preemption", "Node " + pod->nominated_node));
  }
  for (const std::string_view reason :
       {"TriggeredScaleUp", "NotTriggerScaleUp", "FailedScaleUp", "Nominated", "NoCompatibleInstanceTypes"}) {
    const KubeEvent* const event = facts.events.find(member.uid, reason);
    if (!event) continue;
    add_cause(member.causes, cause_of(CauseLayer::schedule, *event, event->component));
  }
  for (const KubeEvent* const event : facts.events.of(member.uid)) {
    if (event->reason == "FailedScheduling" && event->component == "karpenter")
      add_cause(member.causes, cause_of(CauseLayer::schedule, *event, event->component));
  }
  const KubeEvent* const event = facts.events.find(member.uid, "FailedScheduling");
  if (event)
    std::erase_if(member.causes, [](const Cause& one) { return one.code == unseen_by_scheduler; });  // its condition is yet to come
  if (has_layer(member.causes, CauseLayer::schedule) || member.state.level == MemberState::unschedulable) return;
  if (event) {
    Cause cause = cause_of(CauseLayer::schedule, *event, event->component);
    cause.text = cause.text.substr(0, cause.text.find(". "));  // what follows is about preemption
    add_cause(member.causes, std::move(cause));
    return;
  }
  // Neither a condition nor an event: the scheduler that it names does not run.
  if (!pod || !pod->conditions.empty() || !pod->object.created || facts.at - *pod->object.created < time_to_schedule) return;
  Cause cause(CauseLayer::schedule, std::string(unseen_by_scheduler),
              fmt::format("no scheduler has looked at it; its schedulerName is {}", pod->scheduler.empty() ? "not set" : pod->scheduler),
              "Pod " + member.name);
  cause.since = pod->object.created;
  add_cause(member.causes, std::move(cause));
}

void explain_gang(Member& member, const ChainFacts& facts) {
  const StuckPod* const pod = facts.groups.empty() || !member.host.empty() ? nullptr : pod_like(member, facts);
  if (!pod) return;
  for (const PodGroup& group : facts.groups) {
    const bool is_mine =
        std::any_of(pod->groups.begin(), pod->groups.end(), [&group](const PodGroupName& name) { return name.name == group.object.name; });
    if (is_mine && (group.phase == "Inqueue" || !group.conditions.empty()))  // the scheduler has looked at them together
      std::erase_if(member.causes, [](const Cause& one) { return one.code == unseen_by_scheduler; });
    for (Cause& cause : is_mine ? gang_causes(group) : std::vector<Cause>()) {
      const bool is_known = std::any_of(member.causes.begin(), member.causes.end(),
                                        [&cause](const Cause& one) { return one.object == cause.object && one.code == cause.code; });
      const auto place =
          std::find_if(member.causes.begin(), member.causes.end(), [&cause](const Cause& one) { return one.layer >= cause.layer; });
      if (!is_known) member.causes.insert(place, std::move(cause));  // before the scheduler's words about one pod
    }
  }
}

void explain_rest(Member& member, const ChainFacts& facts) {
  if (member.state.level == MemberState::ready) {
    const KubeEvent* const event = facts.events.find(member.uid, "Unhealthy");
    const auto place =
        std::find_if(member.causes.begin(), member.causes.end(), [](const Cause& one) { return one.layer == CauseLayer::readiness; });
    const bool is_old = event && place != member.causes.end() && place->since && event->at && *event->at < *place->since;
    if (event && !is_old && !has_layer(member.causes, CauseLayer::leaving)) {
      const std::string object = event->container.empty() ? "Pod " + member.name : "container " + event->container;
      if (place == member.causes.end()) {
        add_cause(member.causes, cause_of(CauseLayer::readiness, *event, object));
      } else {
        place->code = event->reason;
        place->text = event->message;
        place->object = object;
      }
    }
  }
  if (!member.causes.empty()) return;
  // It says nothing itself.
  const KubeEvent* const latest = latest_warning(facts, member.uid, std::chrono::minutes(15));
  if (latest) add_cause(member.causes, cause_of(CauseLayer::service, *latest, "Pod " + member.name));
}

Cause creation_cause(const KubeEvent& event, const std::vector<FullQuota>& quotas) {
  constexpr std::string_view prefix = "Error creating: ";
  Cause cause = cause_of(CauseLayer::creation, event, event.label());
  if (cause.text.starts_with(prefix)) cause.text.erase(0, prefix.size());
  for (const FullQuota& quota : quotas) {
    if (cause.text.find("exceeded quota: " + quota.quota + ",") == std::string::npos) continue;
    cause.text += fmt::format("; now {} of {} {} are used", quota.used, quota.hard, quota.resource);
  }
  return cause;
}

}  // namespace rollcall::chain_detail
