// What a replica shows of itself and of its targets as a whole; what the leader says to the other replicas, and what they say to it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/at_end.hpp"
#include "base/order.hpp"
#include "fleet/replicas/shared_fleet.hpp"
#include "fleet/rules/source_key.hpp"
#include "fleet/wire/served_target.hpp"
#include "json/limits.hpp"

namespace rollcall::fleet {

std::string SharedFleet::leader_name() const {
  const std::optional<lease::LeaseRecord> leader = elector_->leader();
  if (!leader) return {};
  return leader->url.empty() ? leader->holder : leader->url;
}

std::string SharedFleet::lack_of_leader() const {
  const std::string trouble = elector_->trouble();
  if (!trouble.empty()) return fmt::format("no replica of the service is known to lead: {}", trouble);
  if (!lost_why_.empty()) return fmt::format("the replica that leads cannot be followed: {}", lost_why_);
  return "no replica of the service leads at present";
}

std::vector<std::shared_ptr<Topic>> SharedFleet::topics() const {
  std::vector<std::shared_ptr<Topic>> all;
  for (const auto& [text, topic] : topics_) all.push_back(topic);
  return all;
}

bool SharedFleet::has_topic(const Target& target) const { return topics_.contains(canonical_target(target).to_text()); }

// How much a leader uses of the quota is known there alone.
std::vector<SourceFacts> SharedFleet::sources() const {
  if (core_) return core_->sources();
  std::map<std::string, SourceFacts> facts;
  for (const auto& [text, topic] : topics_) {
    if (topic->is_followed()) facts[source_key(topic->parsed())].add(topic->known());
  }
  std::vector<SourceFacts> all;
  for (auto& [key, one] : facts) {
    one.key = key;
    one.asked_by = leader_name();
    all.push_back(std::move(one));
  }
  return all;
}

std::optional<ReplicaNumbers> SharedFleet::replica_numbers() const {
  ReplicaNumbers numbers;
  numbers.leads = leads();
  numbers.leader = leader_name();
  numbers.epoch = elector_->epoch();
  numbers.connected = feeds_.size();
  numbers.view_age = view_age();
  numbers.leader_changes = leader_changes_;
  return numbers;
}

// The views of others are as the leader said last, and have aged since.
FleetReplicas SharedFleet::replicas() const {
  FleetReplicas all;
  all.replica = self_.id;
  all.epoch = elector_->epoch();
  const std::optional<lease::LeaseRecord> leader = elector_->leader();
  if (leader) all.leader = leader->holder;
  if (leader) all.leader_url = leader->url;
  if (lost_at_) all.trouble = lack_of_leader();
  if (last_epoch_ == all.epoch && last_reached_.leads_since > WallTime()) all.leads_since = last_reached_.leads_since;
  const Age age = view_age();
  for (FleetReplica view : core_ ? reached().views : last_reached_.views) {
    if (view.replica == self_.id || view.replica == all.leader) continue;
    if (view.view_age) *view.view_age += age.value_or(Milliseconds(0));
    all.replicas.push_back(std::move(view));
  }
  all.replicas.emplace_back().replica = self_.id;
  all.replicas.back().view_age = age;
  if (!leads() && !all.leader.empty() && all.leader != self_.id) {
    all.replicas.emplace_back().replica = all.leader;
    if (!lost_at_) all.replicas.back().view_age = Milliseconds(0);
  }
  sort_stably(all.replicas, [](const FleetReplica& a, const FleetReplica& b) { return natural_order(a.replica, b.replica) < 0; });
  return all;
}

Position SharedFleet::position() const { return core_ ? std::max(reached_, Position(core_->epoch, core_->revision())) : reached_; }

FallbackSchedule SharedFleet::fallback_schedule() const {
  return core_ ? core_->fallback_schedule() : last_reached_.heartbeat.fallback_schedule;
}

// Before it has ever had a leader it has nothing to show.
std::string SharedFleet::fault() const {
  constexpr Duration unready_without_leader_after = std::chrono::seconds(30);
  if (is_closed_ || is_leaving_) return "it stops";
  const bool is_missed = lost_at_ && (reached_.epoch == 0 || now() - *lost_at_ >= unready_without_leader_after);
  return is_missed ? lack_of_leader() : std::string();
}

Result<void> SharedFleet::check_leads() const {
  if (leads()) return Result<void>();
  const std::optional<lease::LeaseRecord> leader = elector_->leader();
  const bool is_other = leader && leader->holder != self_.id;
  return Failure(Errc::unavailable, "this replica does not lead").with_hint(is_other ? leader_name() + " does" : "look at the lease");
}

asio::awaitable<void> SharedFleet::feed(std::string replica, int schema, ReplicaLine& line) {
  const std::shared_ptr<SharedFleet> alive = shared_from_this();
  if (!leads() || (feeds_.size() >= max_replicas && !feeds_.contains(replica))) co_return;
  HelloDocument hello(std::min(schema, self_.schema), core_->epoch, self_.id);
  ReplicaFeed feed(core_, topics_, std::move(hello), [this] { return reached(); }, line);
  if (ReplicaFeed* const former = std::exchange(feeds_[replica], &feed)) former->end();
  const AtEnd end([this, &feed, &replica] {
    const auto present = feeds_.find(replica);
    if (present == feeds_.end() || present->second != &feed) return;  // it has opened another line
    feeds_.erase(present);
    for (const auto& [text, topic] : topics_) topic->forget_wanted(replica);
  });
  co_await feed.run();
}

ReachedDocument SharedFleet::reached() const {
  ReachedDocument document;
  document.leads_since = last_reached_.leads_since;
  document.heartbeat.fallback_schedule = core_->fallback_schedule();
  for (const auto& [replica, feed] : feeds_) {
    document.views.emplace_back().replica = replica;
    document.views.back().view_age = age_at(feed->viewed_at, now());
  }
  return document;
}

Result<void> SharedFleet::take_wanted(std::string_view json) {
  const Result<void> leads = check_leads();
  if (!leads) return leads;
  ParseLimits limits;
  limits.max_document = max_wanted_body;
  Result<WantedDocument> document = parse_wanted(json, limits, self_.schema);
  if (!document) return document.error();
  const std::string& replica = document->replica;
  const auto known = feeds_.find(replica);
  if (known == feeds_.end()) {
    return Failure(Errc::failed_precondition, fmt::format("replica {} has no stream here", replica))
        .with_hint("open it by GET /v1/replica first");
  }
  ReplicaFeed& feed = *known->second;
  feed.viewed_at.reset();
  if (document->view_age) feed.viewed_at = now() - *document->view_age;
  if (document->is_same || document->version <= feed.wanted_version) return Result<void>();  // a repetition, or late
  if (document->targets.size() > options_.max_targets)
    return Failure(Errc::limit_exceeded,
                   fmt::format("{} wanted targets; {} are followed at most", document->targets.size(), options_.max_targets));
  feed.wanted_version = document->version;
  std::map<std::string, WantedTarget> wanted;
  for (WantedTarget& target : document->targets) wanted[target.target] = std::move(target);
  for (const auto& [text, topic] : topics_) {
    if (!wanted.contains(text)) topic->forget_wanted(replica);
  }
  for (auto& [text, target] : wanted) {
    const std::shared_ptr<SharedTopic> topic = topic_of(text);
    if (!topic) continue;  // there is no room, or it is no target for a service
    topic->set_wanted(replica, std::move(target));
    lead(*topic);
  }
  return Result<void>();
}

}  // namespace rollcall::fleet
