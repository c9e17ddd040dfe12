#include "fleet/replicas/shared_fleet.hpp"

#include <fmt/format.h>
#include <asio/post.hpp>

#include <algorithm>
#include <utility>

#include "async/with_background.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "call/call_scope.hpp"
#include "fleet/wire/served_target.hpp"
#include "readiness/follow.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration trouble_without_leader_after = std::chrono::seconds(5);  // followers are informed then
constexpr Duration remembered_without_followers = std::chrono::hours(1);
constexpr Duration pause_between_rounds = std::chrono::seconds(1);
constexpr Duration pause_before_next_stream = std::chrono::milliseconds(500);

}  // namespace

SharedFleet::SharedFleet(Runtime runtime, FleetOptions options, ResolverMaker maker, std::shared_ptr<lease::Elector> elector,
                         ReplicaOptions self)
    : runtime_(std::move(runtime)), options_(std::move(options)), maker_(std::move(maker)), elector_(std::move(elector)),
      self_(std::move(self)), link_(self_.access, self_.token_file),
      memory_(std::make_shared<MemoryAccount>(impl_of(runtime_).limits.max_memory_bytes)), lost_at_(now()) {}

void SharedFleet::start() {
  elector_->start();
  const std::shared_ptr<Runtime::Impl>& impl = shared_impl_of(runtime_);
  auto script = [self = shared_from_this()](Call& call) { return with_background(self->look_after(), self->run(call)); };
  auto on_end = [self = shared_from_this()](const Result<void>&) {};
  spawn_result(impl->executor,
               run_call<void>(impl, CallOptions().timeout(for_ever), CallSubject("a replica of the fleet"), std::move(script)),
               signal_.slot(), "a replica of the fleet", std::move(on_end));
}

void SharedFleet::close() {
  if (std::exchange(is_closed_, true)) return;
  elector_->close();
  stop_leading();
  if (!impl_of(runtime_).loop.is_going()) return;
  asio::post(impl_of(runtime_).executor, [self = shared_from_this()] { self->signal_.emit(asio::cancellation_type::terminal); });
}

asio::awaitable<void> SharedFleet::leave() {
  const std::shared_ptr<SharedFleet> alive = shared_from_this();
  is_leaving_ = true;
  co_await elector_->release();
}

// Errors: cancelled.
asio::awaitable<Result<void>> SharedFleet::run(Call& call) {
  Runtime::Impl& impl = impl_of(call);
  bool goes_on = true;
  while (goes_on && !is_closed_) {
    if (core_ && !leads()) stop_leading();
    if (!core_ && elector_->leads()) begin_to_lead();
    const std::optional<lease::LeaseRecord> leader = followed();
    if (!leader) {
      goes_on = co_await elector_->changed().wait_until(*impl.timers, saturating_sum(now(), pause_between_rounds));
      continue;  // the record of an epoch that a stream has shown already wakes nothing
    }
    LeaderStream stream(call, *this, link_, leader->url);
    const Result<void> ended = co_await with_background(until_not_followed(*leader), stream.run());
    if (!lost_at_) lost_at_ = now();
    if (!is_followed(*leader)) continue;
    lost_why_ = ended.has_error() ? ended.error().what() : std::string();
    const Duration pause = with_jitter(pause_before_next_stream, 0.5, 1, impl.uniform());
    goes_on = co_await sleep_until(*impl.timers, saturating_sum(now(), pause));
  }
  co_return Failure(Errc::cancelled, "cancelled as a replica of the fleet");
}

// The replica to follow; none: there is none, or this one leads. A holder of an earlier epoch than is known leads no more.
std::optional<lease::LeaseRecord> SharedFleet::followed() const {
  std::optional<lease::LeaseRecord> leader = elector_->leader();
  if (core_ || elector_->leads() || !leader) return std::nullopt;
  if (leader->holder == self_.id || leader->url.empty() || leader->epoch < elector_->epoch()) return std::nullopt;
  return leader;
}

bool SharedFleet::is_followed(const lease::LeaseRecord& leader) const {
  const std::optional<lease::LeaseRecord> present = followed();
  return present && present->holder == leader.holder && present->epoch == leader.epoch && present->url == leader.url;
}

// Errors: unavailable; cancelled.
asio::awaitable<Result<void>> SharedFleet::until_not_followed(lease::LeaseRecord leader) {
  while (is_followed(leader)) {
    const bool is_awake = co_await elector_->changed().wait();
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following the leader");
  }
  co_return Failure(Errc::unavailable, "another replica leads now");
}

void SharedFleet::begin_to_lead() {
  FleetOptions options = options_;
  options.lingering = Duration(0);  // the topics know themselves how long they are followed without listeners
  core_ = std::make_shared<FleetCore>(runtime_, std::move(options), maker_, elector_->epoch());
  leads_since_ = now();
  last_reached_ = ReachedDocument();
  last_reached_.leads_since = impl_of(runtime_).time->wall_now();
  lost_at_.reset();
  if (std::exchange(last_epoch_, core_->epoch) != core_->epoch) ++leader_changes_;
  tidy();
}

void SharedFleet::stop_leading() {
  if (!core_) return;
  reached_ = std::max(reached_, Position(core_->epoch, core_->revision()));
  last_reached_.heartbeat.fallback_schedule = core_->fallback_schedule();
  for (const auto& [replica, feed] : feeds_) feed->end();
  for (const auto& [text, topic] : topics_) topic->stop_leading();
  core_->close();
  core_.reset();
  lost_at_ = now();
  lost_why_.clear();
}

void SharedFleet::lead(SharedTopic& topic) {
  if (!leads() || topic.is_led()) return;
  Result<std::shared_ptr<TopicState>> inner = core_->topic(topic.parsed());
  if (!inner) return topic.mark(inner.error().what());
  topic.lead(std::move(*inner));
}

void SharedFleet::on_wanted(SharedTopic& topic) {
  if (core_) return lead(topic);
  wanted_news.wake();
}

void SharedFleet::on_change() {
  for (const auto& [replica, feed] : feeds_) feed->wake();
}

Result<void> SharedFleet::on_hello(std::uint64_t epoch) {
  const std::uint64_t highest = std::max(elector_->epoch(), reached_.epoch);
  if (epoch < highest)
    return Failure(Errc::failed_precondition, fmt::format("a replica leads in epoch {}, but {} was seen already", epoch, highest));
  elector_->saw_epoch(epoch);
  if (std::exchange(last_epoch_, epoch) != epoch) ++leader_changes_;
  last_reached_.leads_since = WallTime();
  return Result<void>();
}

void SharedFleet::on_reached(const Position& position, ReachedDocument document, SteadyTime sent_at) {
  reached_ = std::max(reached_, position);
  reached_at_ = sent_at;
  last_reached_ = std::move(document);
  if (!lost_at_) return;
  lost_at_.reset();
  lost_why_.clear();
  tidy();
}

std::shared_ptr<SharedTopic> SharedFleet::add(Target target) {
  auto made = std::make_shared<SharedTopic>(weak_from_this(), std::move(target), ++last_number_, memory_, now());
  topics_.emplace(made->target(), made);
  return made;
}

Result<std::shared_ptr<Topic>> SharedFleet::topic(const Target& target) {
  Target canonical = canonical_target(target);
  const std::string text = canonical.to_text();
  const auto known = topics_.find(text);
  if (known != topics_.end()) return std::shared_ptr<Topic>(known->second);
  if (is_closed_) return Failure(Errc::cancelled, "the service stops");
  const Result<std::shared_ptr<ClusterResolver>> resolver = make_bounded(maker_, runtime_, text);
  if (!resolver) return resolver.error();
  if (topics_.size() >= options_.max_targets && !make_room()) return too_many_targets(topics_.size());
  return std::shared_ptr<Topic>(add(std::move(canonical)));
}

// What the leader names is checked as what a client names is; only the context of a kubeconfig may be there, which its settings name.
std::shared_ptr<SharedTopic> SharedFleet::topic_of(const std::string& text) {
  const auto known = topics_.find(text);
  if (known != topics_.end()) return known->second;
  Result<Target> target = Target::parse(text);
  if (!target || text.size() > max_target_bytes || canonical_target(*target).to_text() != text) return nullptr;
  Target served = *target;
  std::erase_if(served.options, [](const auto& one) { return one.first == "context"; });
  if (!check_served(served) || (topics_.size() >= options_.max_targets && !make_room())) return nullptr;
  return add(std::move(*target));
}

// Forgets the topic that has been without listeners for the longest time; those that the leader follows last.
bool SharedFleet::make_room() {
  const auto rank = [](const SharedTopic& topic) { return std::pair(topic.is_followed(), topic.left_at); };
  auto oldest = topics_.end();
  for (auto one = topics_.begin(); one != topics_.end(); ++one) {
    const SharedTopic& topic = *one->second;
    if (topic.has_listeners() || topic.is_wanted_elsewhere() || !topic.left_at || one->second.use_count() > 1) continue;
    if (oldest == topics_.end() || rank(topic) < rank(*oldest->second)) oldest = one;
  }
  if (oldest == topics_.end()) return false;
  oldest->second->stop_leading();
  topics_.erase(oldest);
  return true;
}

bool SharedFleet::is_wanted_here(const SharedTopic& topic) const {
  return topic.has_listeners() || (topic.was_listened_to && topic.left_at && now() - *topic.left_at < options_.lingering);
}

WantedDocument SharedFleet::wanted() {
  tidy();
  WantedDocument document;
  document.replica = self_.id;
  document.version = ++wanted_version_;
  document.view_age = view_age();
  for (const auto& [text, topic] : topics_) {
    if (is_wanted_here(*topic)) document.targets.push_back(topic->wanted_here());
  }
  return document;
}

// Errors: cancelled.
asio::awaitable<Result<void>> SharedFleet::look_after() {
  for (;;) {
    const bool is_awake = co_await sleep_until(*impl_of(runtime_).timers, saturating_sum(now(), pause_between_rounds));
    if (!is_awake || is_closed_) co_return Failure(Errc::cancelled, "cancelled as a replica of the fleet");
    tidy();
  }
}

// Listeners do not report that they leave: topics without listeners are found here. Topics get the trouble of this replica; a short change
// of leader is none.
void SharedFleet::tidy() {
  const bool is_lost = lost_at_ && now() - *lost_at_ >= trouble_without_leader_after;
  const std::string why = is_lost ? lack_of_leader() : std::string();
  const bool is_late = core_ && now() - leads_since_ >= trouble_without_leader_after;
  for (auto one = topics_.begin(); one != topics_.end();) {
    SharedTopic& topic = *one->second;
    if (!topic.has_listeners() && !topic.left_at) topic.left_at = now();
    const bool is_wanted = is_wanted_here(topic) || topic.is_wanted_elsewhere();
    if (core_ && is_wanted) lead(topic);
    if (core_ && !is_wanted && topic.is_led()) topic.stop_leading();
    if (!core_) {
      topic.mark(why);
    } else if (is_late && topic.is_led() && topic.known().epoch != core_->epoch && topic.known().trouble.empty()) {
      topic.mark("the replica that leads now has not seen it yet");
    }
    const bool is_over = topic.left_at && now() - *topic.left_at >= remembered_without_followers && !is_wanted && !topic.is_followed();
    one = is_over && one->second.use_count() == 1 ? topics_.erase(one) : std::next(one);
  }
}

}  // namespace rollcall::fleet
