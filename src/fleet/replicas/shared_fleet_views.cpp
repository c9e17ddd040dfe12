// What a replica shows of itself and of its targets as a whole.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/order.hpp"
#include "fleet/replicas/shared_fleet.hpp"
#include "fleet/rules/source_key.hpp"
#include "fleet/wire/served_target.hpp"

namespace rollcall::fleet {

std::string SharedFleet::lack_of_leader() const {
  const std::string trouble = elector_->trouble();
  if (!trouble.empty()) return fmt::format("no replica of the service is known to lead: {}", trouble);
  if (!lost_why_.empty()) return fmt::format("the replica that leads cannot be followed: {}", lost_why_);
  return "no replica of the service leads at present";
}

std::vector<std::shared_ptr<Topic>> SharedFleet::topics() const {
  std::vector<std::shared_ptr<Topic>> all;
  all.reserve(topics_.size());
  for (const auto& [text, topic] : topics_) all.push_back(topic);
  return all;
}

bool SharedFleet::has_topic(const Target& target) const { return topics_.contains(canonical_target(target).to_text()); }

// How much a leader uses of the quota is known there alone.
std::vector<SourceFacts> SharedFleet::sources() const {
  if (core_) return core_->sources();
  std::map<std::string, SourceFacts> facts;
  const std::optional<lease::LeaseRecord> leader = elector_->leader();
  for (const auto& [text, topic] : topics_) {
    if (!topic->is_followed()) continue;
    SourceFacts& one = facts[source_key(topic->parsed())];
    ++one.targets;
    const Known& known = topic->known();
    if (known.polled_at && (!one.polled_at || *known.polled_at > *one.polled_at)) one.polled_at = known.polled_at;
    if (!known.trouble.empty()) one.trouble = known.trouble;
    if (leader) one.asked_by = leader->url.empty() ? leader->holder : leader->url;
  }
  std::vector<SourceFacts> all;
  for (auto& [key, one] : facts) {
    one.key = key;
    all.push_back(std::move(one));
  }
  return all;
}

std::optional<ReplicaNumbers> SharedFleet::replica_numbers() const {
  ReplicaNumbers numbers;
  numbers.leads = core_ != nullptr && leads();
  numbers.epoch = elector_->epoch();
  numbers.connected = feeds_.size();
  numbers.leader_changes = leader_changes_;
  const std::optional<lease::LeaseRecord> leader = elector_->leader();
  if (leader) numbers.leader = leader->url.empty() ? leader->holder : leader->url;
  if (const Age age = view_age()) numbers.view_age = *age;
  return numbers;
}

// The views of others are as the leader said last, and have aged since.
FleetReplicas SharedFleet::replicas() const {
  FleetReplicas all;
  all.replica = id_;
  all.epoch = elector_->epoch();
  const bool is_leading = core_ && leads();
  const std::optional<lease::LeaseRecord> leader = elector_->leader();
  if (leader) all.leader = leader->holder;
  if (leader) all.leader_url = leader->url;
  if (lost_at_) all.trouble = lack_of_leader();
  if (is_leading) all.leads_since = leads_since_wall_;
  if (!core_ && last_epoch_ == all.epoch) all.leads_since = leader_since_;
  const auto add = [&all](const std::string& replica, const Age& age) {
    FleetReplica& one = all.replicas.emplace_back();
    one.replica = replica;
    one.view_age = age;
  };
  const std::vector<ViewDocument> views = core_ ? reached().views : views_;
  const Milliseconds since = core_ ? Milliseconds(0) : view_age().value_or(Milliseconds(0));
  add(id_, view_age());
  if (!is_leading && !all.leader.empty() && all.leader != id_) add(all.leader, lost_at_ ? Age() : Age(Milliseconds(0)));
  for (const ViewDocument& view : views) {
    if (view.replica != id_ && view.replica != all.leader) add(view.replica, view.age ? Age(*view.age + since) : Age());
  }
  sort_stably(all.replicas, [](const FleetReplica& a, const FleetReplica& b) { return natural_order(a.replica, b.replica) < 0; });
  return all;
}

Position SharedFleet::position() const { return core_ ? std::max(reached_, Position(core_->epoch, core_->revision())) : reached_; }

FallbackSchedule SharedFleet::fallback_schedule() const { return core_ ? core_->fallback_schedule() : leader_schedule_; }

std::string SharedFleet::fault() const {
  if (is_closed_ || is_leaving_) return "it stops";
  if (!lost_at_) return {};
  if (!had_leader_) return lack_of_leader();
  return now() - *lost_at_ >= unready_without_leader_after ? lack_of_leader() : std::string();
}

}  // namespace rollcall::fleet
