// What the leader says to the other replicas, and what they say to it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/at_end.hpp"
#include "fleet/replicas/shared_fleet.hpp"
#include "json/limits.hpp"

namespace rollcall::fleet {
namespace {

ParseLimits limits_of_wanted() {
  ParseLimits limits;
  limits.max_document = max_wanted_body;
  return limits;
}

}  // namespace

Result<void> SharedFleet::check_leads() const {
  if (core_ && leads()) return Result<void>();
  const std::optional<lease::LeaseRecord> leader = elector_->leader();
  Failure failure(Errc::unavailable, "this replica does not lead");
  const bool is_other = leader && !leader->holder.empty() && leader->holder != id_;
  return failure.with_hint(is_other ? fmt::format("{} does", leader->url.empty() ? leader->holder : leader->url) : "look at the lease");
}

asio::awaitable<void> SharedFleet::feed(std::string replica, int schema, ReplicaLine& line) {
  const std::shared_ptr<SharedFleet> alive = shared_from_this();
  if (!check_leads() || (feeds_.size() >= max_replicas && !feeds_.contains(replica))) co_return;
  HelloDocument hello;
  hello.schema = std::min(schema, schema_);
  hello.epoch = core_->epoch;
  hello.replica = id_;
  const auto report = [this] { return reached(); };
  ReplicaFeed feed(core_, topics_, std::move(hello), report, line);
  const auto known = feeds_.find(replica);
  if (known != feeds_.end()) known->second->end();
  feeds_[replica] = &feed;
  const AtEnd end([this, &feed, &replica] {
    const auto present = feeds_.find(replica);
    if (present == feeds_.end() || present->second != &feed) return;  // it has opened another line
    feeds_.erase(present);
    forget_wanted(replica);
  });
  co_await feed.run();
}

ReachedDocument SharedFleet::reached() const {
  ReachedDocument document;
  document.leads_since_ms = std::chrono::duration_cast<Milliseconds>(leads_since_wall_.time_since_epoch()).count();
  document.fallback_schedule = core_->fallback_schedule();
  for (const auto& [replica, feed] : feeds_) {
    ViewDocument& view = document.views.emplace_back();
    view.replica = replica;
    view.age = age_at(feed->viewed_at, now());
  }
  return document;
}

void SharedFleet::forget_wanted(const std::string& replica) {
  for (const auto& [text, topic] : topics_) topic->set_wanted(replica, nullptr);
}

Result<void> SharedFleet::take_wanted(std::string_view json) {
  const Result<void> leads = check_leads();
  if (!leads) return leads;
  Result<WantedDocument> document = parse_wanted(json, limits_of_wanted(), schema_);
  if (!document) return document.error();
  const std::string& replica = document->replica;
  const auto feed = feeds_.find(replica);
  if (feed == feeds_.end()) {
    return Failure(Errc::failed_precondition, fmt::format("replica {} has no stream here", replica))
        .with_hint("open it by GET /v1/replica first");
  }
  feed->second->viewed_at.reset();
  if (document->view_age) feed->second->viewed_at = now() - *document->view_age;
  if (document->is_same || document->version <= feed->second->wanted_version) return Result<void>();  // a repetition, or late
  if (document->targets.size() > options_.max_targets)
    return Failure(Errc::limit_exceeded,
                   fmt::format("{} wanted targets; {} are followed at most", document->targets.size(), options_.max_targets));
  feed->second->wanted_version = document->version;
  std::map<std::string_view, const WantedTarget*> wanted;
  for (const WantedTarget& target : document->targets) wanted[target.target] = &target;
  for (const auto& [text, topic] : topics_) {
    if (!wanted.contains(text)) topic->set_wanted(replica, nullptr);
  }
  for (const auto& [text, target] : wanted) {
    const std::shared_ptr<SharedTopic> topic = topic_of(std::string(text));
    if (!topic) continue;  // there is no room, or it is no target for a service
    topic->set_wanted(replica, target);
    lead(*topic);
  }
  return Result<void>();
}

}  // namespace rollcall::fleet
