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

constexpr std::size_t max_shared_target = 4096;
constexpr Duration remembered_without_followers = std::chrono::hours(1);
constexpr Duration pause_between_rounds = std::chrono::seconds(1);  // of look_after()
constexpr Duration pause_before_next_stream = std::chrono::milliseconds(500);

// The topics know themselves how long they are followed without listeners.
FleetOptions options_of_core(FleetOptions options) {
  options.lingering = Duration(0);
  return options;
}

}  // namespace

SharedFleet::SharedFleet(Runtime runtime, FleetOptions options, ResolverMaker maker, std::shared_ptr<lease::Elector> elector,
                         std::string id, PeerFiles files, int schema)
    : runtime_(std::move(runtime)), options_(std::move(options)), maker_(std::move(maker)), elector_(std::move(elector)),
      id_(std::move(id)), schema_(schema), link_(std::move(files)),
      memory_(std::make_shared<MemoryAccount>(impl_of(runtime_).limits.max_memory_bytes)), lost_at_(now()) {}

void SharedFleet::start() {
  elector_->start();
  const std::shared_ptr<Runtime::Impl>& impl = shared_impl_of(runtime_);
  auto script = [self = shared_from_this()](Call& call) { return self->run(call); };
  auto on_end = [self = shared_from_this()](const Result<void>&) {};
  spawn_result(impl->executor,
               run_call<void>(impl, CallOptions().timeout(for_ever), CallSubject("a replica of the fleet"), std::move(script)),
               signal_.slot(), "a replica of the fleet", std::move(on_end));
  look_after_later();
}

void SharedFleet::close() {
  if (std::exchange(is_closed_, true)) return;
  looking_after_.cancel();
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
  for (;;) {
    if (core_ && !leads()) stop_leading();
    if (!core_ && elector_->leads()) begin_to_lead();
    const std::optional<lease::LeaseRecord> leader = elector_->leader();
    const bool may_follow = !core_ && leader && !leader->holder.empty() && leader->holder != id_ && !leader->url.empty();
    if (may_follow) {
      lease::LeaseRecord followed = *leader;
      const Result<void> ended = co_await follow(call, std::move(followed));
      if (ended.has_error() && ended.error().code() == Errc::cancelled) co_return ended;
      continue;
    }
    const bool is_awake = co_await elector_->changed().wait();
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while waiting for a leader");
  }
}

// One stream of a leader, and a pause after it. Errors: cancelled.
asio::awaitable<Result<void>> SharedFleet::follow(Call& call, lease::LeaseRecord leader) {
  Runtime::Impl& impl = impl_of(call);
  LeaderStream stream(call, link_, leader.url, id_, schema_, *this, wanted_news_);
  const Result<void> ended = co_await with_background(until_changed(leader), stream.run());
  if (!lost_at_) lost_at_ = now();
  if (is_closed_) co_return Failure(Errc::cancelled, "cancelled while following the leader");
  const std::optional<lease::LeaseRecord> present = elector_->leader();
  const bool is_same = present && present->holder == leader.holder && present->epoch == leader.epoch && !elector_->leads();
  if (!is_same) co_return Result<void>();
  lost_why_ = ended.has_error() ? ended.error().what() : std::string();
  const Duration pause = with_jitter(pause_before_next_stream, 0.5, 1, impl.uniform());
  const bool is_awake = co_await sleep_until(*impl.timers, saturating_sum(now(), pause));
  if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following the leader");
  co_return Result<void>();
}

// Ends when another replica leads than `leader`. Errors: aborted then; cancelled.
asio::awaitable<Result<void>> SharedFleet::until_changed(lease::LeaseRecord leader) {
  for (;;) {
    const std::optional<lease::LeaseRecord> present = elector_->leader();
    const bool is_same = present && present->holder == leader.holder && present->epoch == leader.epoch && present->url == leader.url;
    if (!is_same || elector_->leads() || elector_->epoch() > leader.epoch)
      co_return Failure(Errc::unavailable, "another replica leads now");
    const bool is_awake = co_await elector_->changed().wait();
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following the leader");
  }
}

void SharedFleet::begin_to_lead() {
  core_ = std::make_shared<FleetCore>(runtime_, options_of_core(options_), maker_, elector_->epoch());
  leads_since_ = now();
  leads_since_wall_ = impl_of(runtime_).time->wall_now();
  lost_at_.reset();
  had_leader_ = true;
  if (std::exchange(last_epoch_, core_->epoch) != core_->epoch) ++leader_changes_;
  for (const auto& [text, topic] : std::map(topics_)) {
    if (is_wanted_here(*topic)) lead(*topic);
  }
}

void SharedFleet::stop_leading() {
  if (!core_) return;
  reached_ = std::max(reached_, Position(core_->epoch, core_->revision()));
  leader_schedule_ = core_->fallback_schedule();
  for (const auto& [replica, feed] : feeds_) feed->end();
  for (const auto& [text, topic] : topics_) topic->stop_leading();
  core_->close();
  core_.reset();
  lost_at_ = now();
  lost_why_.clear();
}

void SharedFleet::lead(SharedTopic& topic) {
  if (!may_show() || topic.is_led()) return;
  Result<std::shared_ptr<TopicState>> inner = core_->topic(topic.parsed());
  if (inner) {
    topic.lead(std::move(*inner), core_->epoch);
  } else {
    topic.mark(inner.error().what());
  }
}

void SharedFleet::on_wanted(SharedTopic& topic) {
  if (core_) {
    lead(topic);
  } else {
    wanted_news_.wake();
  }
}

void SharedFleet::on_change(SharedTopic&) {
  for (const auto& [replica, feed] : feeds_) feed->wake();
}

Result<void> SharedFleet::on_hello(std::uint64_t epoch) {
  if (epoch < elector_->epoch() || epoch < reached_.epoch)
    return Failure(Errc::failed_precondition,
                   fmt::format("a replica leads in epoch {}, but {} was seen already", epoch, std::max(elector_->epoch(), reached_.epoch)));
  elector_->saw_epoch(epoch);
  if (std::exchange(last_epoch_, epoch) != epoch) ++leader_changes_;
  leader_since_.reset();
  return Result<void>();
}

void SharedFleet::on_reached(const Position& position, ReachedDocument document, SteadyTime sent_at) {
  reached_ = std::max(reached_, position);
  leader_schedule_ = document.fallback_schedule;
  reached_at_ = sent_at;
  if (document.leads_since_ms > 0) leader_since_ = WallTime(Milliseconds(document.leads_since_ms));
  views_ = std::move(document.views);
  had_leader_ = true;
  if (lost_at_) {
    lost_at_.reset();
    mark_topics();
  }
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
  if (text.size() > max_shared_target)
    return Failure(Errc::limit_exceeded, fmt::format("a target of {} bytes; at most {} are taken", text.size(), max_shared_target));
  const Result<std::shared_ptr<ClusterResolver>> resolver = maker_(runtime_, text);
  if (!resolver) return resolver.error();
  if (topics_.size() >= options_.max_targets && !make_room()) {
    return Failure(Errc::limit_exceeded, fmt::format("{} targets are known already, as many as this service takes", topics_.size()))
        .with_hint("ask again when others have ended, or have the service's operator raise its limit");
  }
  return std::shared_ptr<Topic>(add(std::move(canonical)));
}

// What the leader names is checked as what a client names is; only the context of a kubeconfig may be there, which its settings name.
std::shared_ptr<SharedTopic> SharedFleet::topic_of(const std::string& text) {
  const auto known = topics_.find(text);
  if (known != topics_.end()) return known->second;
  Result<Target> target = Target::parse(text);
  if (!target || text.size() > max_shared_target || canonical_target(*target).to_text() != text) return nullptr;
  Target served = *target;
  std::erase_if(served.options, [](const auto& one) { return one.first == "context"; });
  if (!check_served(served) || (topics_.size() >= options_.max_targets && !make_room())) return nullptr;
  return add(std::move(*target));
}

// Forgets the topic that has been without listeners for the longest time; those that the leader follows last.
bool SharedFleet::make_room() {
  auto oldest = topics_.end();
  const auto is_before = [](const SharedTopic& a, const SharedTopic& b) {
    if (a.is_followed() != b.is_followed()) return b.is_followed();
    return a.left_at < b.left_at;
  };
  for (auto one = topics_.begin(); one != topics_.end(); ++one) {
    const SharedTopic& topic = *one->second;
    if (topic.has_listeners() || topic.is_wanted_elsewhere() || !topic.left_at || one->second.use_count() > 1) continue;
    if (oldest == topics_.end() || is_before(topic, *oldest->second)) oldest = one;
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
  document.version = ++wanted_version_;
  document.view_age = view_age();
  for (const auto& [text, topic] : topics_) {
    if (is_wanted_here(*topic)) document.targets.push_back(topic->wanted_here());
  }
  return document;
}

// Listeners do not report that they leave: topics without listeners are found here.
void SharedFleet::tidy() {
  for (auto one = topics_.begin(); one != topics_.end();) {
    SharedTopic& topic = *one->second;
    if (!topic.has_listeners() && !topic.left_at) topic.left_at = now();
    const bool is_wanted = is_wanted_here(topic) || topic.is_wanted_elsewhere();
    if (core_ && is_wanted) lead(topic);
    if (core_ && !is_wanted && topic.is_led()) topic.stop_leading();
    const bool is_over = topic.left_at && now() - *topic.left_at >= remembered_without_followers && !is_wanted && !topic.is_followed();
    one = is_over && one->second.use_count() == 1 ? topics_.erase(one) : std::next(one);
  }
}

void SharedFleet::look_after_later() {
  if (is_closed_) return;
  Runtime::Impl& impl = impl_of(runtime_);
  looking_after_.set(
      *impl.timers, saturating_sum(now(), pause_between_rounds),
      [](void* fleet) noexcept { static_cast<SharedFleet*>(fleet)->look_after(); }, this);
}

void SharedFleet::look_after() {
  const std::shared_ptr<SharedFleet> alive = shared_from_this();
  tidy();
  mark_topics();
  look_after_later();
}

// Trouble of this replica. A short change of leader is none.
void SharedFleet::mark_topics() {
  const bool is_lost = lost_at_ && now() - *lost_at_ >= trouble_without_leader_after;
  const std::string why = is_lost ? lack_of_leader() : std::string();
  const bool is_late = core_ && now() - leads_since_ >= trouble_without_leader_after;
  for (const auto& [text, topic] : std::map(topics_)) {
    if (!core_) {
      topic->mark(why);
    } else if (is_late && topic->is_led() && topic->known().epoch != core_->epoch && topic->known().trouble.empty()) {
      topic->mark("the replica that leads now has not seen it yet");
    }
  }
}

std::shared_ptr<Fleet> make_shared_fleet(Runtime runtime, FleetOptions options, ResolverMaker maker,
                                         std::shared_ptr<lease::Elector> elector, std::string id, PeerFiles files, int schema) {
  const auto made = std::make_shared<SharedFleet>(std::move(runtime), std::move(options), std::move(maker), std::move(elector),
                                                  std::move(id), std::move(files), schema);
  made->start();
  return made;
}

}  // namespace rollcall::fleet
