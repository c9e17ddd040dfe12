#include "fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/fleet_core.hpp"
#include "fleet/rules/project_quota.hpp"
#include "fleet/rules/source_key.hpp"
#include "fleet/source.hpp"
#include "fleet/wire/served_target.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration remembered_for = std::chrono::hours(1);  // for a target without listeners
constexpr Duration schedule_holds_for = std::chrono::seconds(1);

class OneFleet final : public Fleet {
 public:
  OneFleet(const Runtime& runtime, FleetOptions options, ResolverMaker maker)
      : core_(std::make_shared<FleetCore>(runtime, std::move(options), std::move(maker), epoch_of_start(impl_of(runtime)))) {}
  ~OneFleet() override { core_->close(); }

  Result<std::shared_ptr<Topic>> topic(const Target& target) override {
    Result<std::shared_ptr<TopicState>> topic = core_->topic(target);
    if (!topic) return topic.error();
    return std::shared_ptr<Topic>(std::move(*topic));
  }
  std::vector<std::shared_ptr<Topic>> topics() const override {
    std::vector<std::shared_ptr<Topic>> all;
    all.reserve(core_->topics().size());
    for (const auto& [text, topic] : core_->topics()) all.push_back(topic);
    return all;
  }
  bool has_topic(const Target& target) const override { return core_->topics().contains(canonical_target(target).to_text()); }
  std::vector<SourceFacts> sources() const override { return core_->sources(); }
  Position position() const override { return Position(core_->epoch, core_->revision()); }
  FallbackSchedule fallback_schedule() const override { return core_->fallback_schedule(); }
  std::size_t memory_bytes() const noexcept override { return core_->memory->used(); }
  const Runtime& runtime() const noexcept override { return core_->runtime; }
  void close() override { core_->close(); }

 private:
  std::shared_ptr<FleetCore> core_;
};

}  // namespace

std::uint64_t epoch_of_start(Runtime::Impl& runtime) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(runtime.time->wall_now().time_since_epoch()).count();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 1));
}

Result<std::shared_ptr<ClusterResolver>> make_bounded(const ResolverMaker& maker, const Runtime& runtime, const std::string& text) {
  if (text.size() <= max_target_bytes) return maker(runtime, text);
  return Failure(Errc::limit_exceeded, fmt::format("a target of {} bytes; at most {} are taken", text.size(), max_target_bytes));
}

Failure too_many_targets(std::size_t known) {
  return Failure(Errc::limit_exceeded, fmt::format("{} targets are followed already, as many as this service takes", known))
      .with_hint("ask again when others have ended, or have the service's operator raise its limit");
}

FleetCore::FleetCore(Runtime for_all, FleetOptions how, ResolverMaker maker, std::uint64_t of_epoch)
    : runtime(std::move(for_all)), options(std::move(how)), epoch(of_epoch),
      memory(std::make_shared<MemoryAccount>(impl_of(runtime).limits.max_memory_bytes)), maker_(std::move(maker)) {}
FleetCore::~FleetCore() = default;

Result<std::shared_ptr<TopicState>> FleetCore::topic(const Target& target) {
  Target canonical = canonical_target(target);
  const std::string text = canonical.to_text();
  const auto known = topics_.find(text);
  if (known != topics_.end()) return known->second;
  if (is_closed_) return Failure(Errc::cancelled, "the service stops");
  Result<std::shared_ptr<ClusterResolver>> resolver = make_bounded(maker_, runtime, text);
  if (!resolver) return resolver.error();
  if (topics_.size() >= options.max_targets && !make_room()) return too_many_targets(topics_.size());
  auto made = std::make_shared<TopicState>(shared_from_this(), std::move(canonical), std::move(*resolver), ++made_topics_);
  made->left_at = impl_of(runtime).time->now();
  topics_.emplace(text, made);
  if (topics_.size() == 1) tidy_later();
  return made;
}

// Forgets the unheld topic that has been without listeners for the longest time, even if it is still followed.
bool FleetCore::make_room() {
  const auto left_at = [](const TopicState& topic) { return topic.left_at.value_or(SteadyTime::max()); };
  auto oldest = topics_.end();
  for (auto one = topics_.begin(); one != topics_.end(); ++one) {
    if (one->second->has_listeners() || one->second.use_count() > 1 + (one->second->source.expired() ? 0 : 1)) continue;
    if (oldest == topics_.end() || left_at(*one->second) < left_at(*oldest->second)) oldest = one;
  }
  if (oldest == topics_.end()) return false;
  unfollow(*oldest->second);
  topics_.erase(oldest);
  return true;
}

void FleetCore::unfollow(TopicState& topic) {
  const std::shared_ptr<Source> source = topic.source.lock();
  topic.source.reset();
  if (source) source->attend();
}

bool FleetCore::make_memory(const TopicState& topic, std::size_t bytes) {
  const std::size_t left = memory->limit() - memory->used();
  if (bytes <= left) return true;
  if (bytes > memory->limit()) return false;
  std::vector<std::shared_ptr<TopicState>> others;
  std::vector<MemoryClaim> claims;
  for (const auto& [text, other] : topics_) {
    if (other.get() == &topic) continue;
    others.push_back(other);
    claims.push_back(other->claim());
  }
  MemoryClaim wanted = topic.claim();
  wanted.bytes = bytes;
  const std::optional<std::vector<std::size_t>> gone = which_ends_first(claims, wanted, bytes - left);
  if (!gone) return false;
  for (const std::size_t i : *gone) {
    TopicState& other = *others[i];
    const bool is_left = !other.has_listeners();
    other.give_way(
        Failure(Errc::limit_exceeded, fmt::format("{}: what is known of all targets takes as much memory as this service may use, "
                                                  "and this one is of those who take the most",
                                                  other.target())));
    if (is_left) unfollow(other);
  }
  return true;
}

void FleetCore::follow(TopicState& topic) {
  if (is_closed_) return;
  if (const std::shared_ptr<Source> source = topic.source.lock()) {
    if (topic.needs_spec()) {
      topic.plan.is_new = true;
      source->attend();
    }
    return;
  }
  const bool supports_watch = topic.resolver()->supports_watch();
  const std::string key = supports_watch ? "told/" + topic.target() : source_key(topic.parsed());
  std::shared_ptr<Source>& source = sources_[key];
  const bool is_new = !source;
  if (is_new) source = supports_watch ? make_watch_source(shared_from_this(), key) : make_polled_source(shared_from_this(), key);
  if (is_new && supports_watch) ++watch_sources_;
  topic.source = source;
  topic.plan = PollPlan();
  const std::shared_ptr<Source> kept = source;
  kept->add(topic.shared_from_this());
  if (is_new) kept->start();
}

void FleetCore::forget(const Source& source) {
  const auto found = sources_.find(source.key());
  if (found == sources_.end() || found->second.get() != &source) return;
  if (source.key().starts_with("told/")) --watch_sources_;
  sources_.erase(found);
}

void FleetCore::abandon(const Source& source, const Failure& why) {
  forget(source);
  if (is_closed_) return;
  std::vector<std::shared_ptr<TopicState>> left;
  for (const auto& [text, topic] : topics_) {
    if (topic->source.lock().get() == &source) left.push_back(topic);
  }
  for (const std::shared_ptr<TopicState>& topic : left) {
    topic->source.reset();
    topic->take_trouble(why);
  }
}

void FleetCore::close() {
  if (std::exchange(is_closed_, true)) return;
  tidying_.cancel();
  for (const auto& [key, source] : sources_) source->close();
  for (const auto& [text, topic] : topics_) topic->source.reset();
  sources_.clear();
}

std::shared_ptr<ProjectQuota> FleetCore::quota_of(std::string_view source) {
  const SteadyTime now = impl_of(runtime).time->now();
  // A quota that was used within the last minute is kept, even if its source has ended.
  std::erase_if(quotas_, [now](const auto& one) { return one.second.use_count() == 1 && one.second->is_idle(now); });
  std::shared_ptr<ProjectQuota>& quota = quotas_[quota_key(source)];
  if (!quota) quota = std::make_shared<ProjectQuota>(polls_per_minute_at(source, options), options.shortest_pause);
  return quota;
}

int polls_per_minute_at(std::string_view source, const FleetOptions& options) {
  const auto own = options.polls_per_minute_of.find(project_of(source));
  return own == options.polls_per_minute_of.end() ? options.polls_per_minute : own->second;
}

FallbackSchedule FleetCore::fallback_schedule() const {
  const SteadyTime now = impl_of(runtime).time->now();
  if (fallback_schedule_at_ && saturating_difference(now, *fallback_schedule_at_) < schedule_holds_for) return fallback_schedule_;
  std::map<std::string, DirectClients> by_quota;
  for (const auto& [text, topic] : topics_) {
    const std::shared_ptr<Source> source = topic->source.lock();
    if (!source) continue;
    DirectClients& clients = by_quota[source->key().starts_with("told/") ? std::string("told") : quota_key(source->key())];
    clients.followers += topic->listeners();
    clients.polls_per_minute = polls_per_minute_at(source->key(), options);
  }
  fallback_schedule_at_ = now;
  fallback_schedule_ = fallback_schedule_for(by_quota, options.polls_per_minute);
  return fallback_schedule_;
}

std::vector<SourceFacts> FleetCore::sources() const {
  std::map<const Source*, SourceFacts> facts;
  for (const auto& [text, topic] : topics_) {
    const std::shared_ptr<Source> source = topic->source.lock();
    if (!source) continue;
    SourceFacts& one = facts[source.get()];
    one.key = source->key();
    one.supports_watch = one.key.starts_with("told/");
    one.requests_a_minute = source->requests_a_minute();
    one.quota_a_minute = one.supports_watch ? 0 : static_cast<std::size_t>(source->quota_a_minute());
    one.add(topic->known());
  }
  std::vector<SourceFacts> all;
  for (auto& [source, one] : facts) all.push_back(std::move(one));
  std::sort(all.begin(), all.end(), [](const SourceFacts& a, const SourceFacts& b) { return a.key < b.key; });
  return all;
}

void FleetCore::tidy_later() {
  const Duration pause = std::clamp<Duration>(options.lingering / 20, std::chrono::seconds(1), std::chrono::seconds(15));
  Runtime::Impl& impl = impl_of(runtime);
  tidying_.set(
      *impl.timers, saturating_sum(impl.time->now(), pause), [](void* core) noexcept { static_cast<FleetCore*>(core)->tidy(); }, this);
}

// Listeners do not report that they leave: topics without listeners are found here.
void FleetCore::tidy() {
  const std::shared_ptr<FleetCore> alive = shared_from_this();
  const SteadyTime now = impl_of(runtime).time->now();
  for (auto one = topics_.begin(); one != topics_.end();) {
    TopicState& topic = *one->second;
    if (topic.has_listeners()) {
      topic.left_at.reset();
    } else if (!topic.left_at) {
      topic.left_at = now;
    }
    const Duration alone = topic.left_at ? saturating_difference(now, *topic.left_at) : Duration(0);
    const std::shared_ptr<Source> source = topic.source.lock();
    if (source && topic.left_at && alone >= options.lingering) unfollow(topic);
    const bool is_over = topic.source.expired() && alone >= remembered_for && one->second.use_count() == 1;
    one = is_over ? topics_.erase(one) : std::next(one);
  }
  if (!topics_.empty() && !is_closed_) tidy_later();
}

std::shared_ptr<Fleet> make_fleet(Runtime runtime, FleetOptions options, ResolverMaker maker) {
  return std::make_shared<OneFleet>(runtime, std::move(options), std::move(maker));
}

std::shared_ptr<Fleet> make_fleet(Runtime runtime, FleetOptions options) {
  const auto by_target = [](Runtime for_all, const std::string& target) { return make_resolver(std::move(for_all), target); };
  return make_fleet(std::move(runtime), std::move(options), by_target);
}

}  // namespace rollcall::fleet
