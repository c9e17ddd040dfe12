#include "fleet/entry/view_group.hpp"

#include <algorithm>
#include <utility>

#include "async/spawn.hpp"
#include "async/turns.hpp"
#include "base/saturating.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration shortest_group_pause = std::chrono::milliseconds(200);
// At most a fifth of a core: an event costs 11 µs a follower, and its bytes are sent at 1 GB/s.
constexpr Duration pause_of_event = std::chrono::nanoseconds(11'000 * 5);
constexpr Duration pause_of_byte = std::chrono::nanoseconds(1 * 5);
constexpr Duration max_group_pause = std::chrono::seconds(10);

}  // namespace

GroupListener::GroupListener(std::shared_ptr<ViewGroup> group, Hears hears) : group_(std::move(group)), hears_(hears) {
  group_->listeners_.push_back(*this);
  ++group_->listening_;
  group_->topic_->listen(*this);
}

GroupListener::~GroupListener() {
  // First, since the group may be destroyed with its last listener.
  TopicListener::unlink();
  GroupHook::unlink();
  --group_->listening_;
  group_->used_at_ = group_->runtime_->time->now();
}

void GroupListener::on_topic() noexcept {
  group_->on_topic();
  // A listener that may receive a final failure waits for a recent poll, which may find nothing new.
  const bool has_verdict = group_->made_ && group_->made_->failure;
  if (hears_ == Hears::polls || has_verdict) news.wake();
}

bool GroupListener::wants_spec() const noexcept { return group_->question_.view == View::spec; }

std::optional<SteadyTime> ViewGroup::seen_at(const Known& known) const noexcept {
  return question_.view == View::spec ? spec_seen_at(known) : known.polled_at;
}

ViewGroup::ViewGroup(std::shared_ptr<Runtime::Impl> runtime, std::shared_ptr<Topic> topic, FleetQuestion question)
    : runtime_(std::move(runtime)), topic_(std::move(topic)), question_(std::move(question)), used_at_(runtime_->time->now()) {}

bool ViewGroup::is_current() const noexcept {
  const Known& known = topic_->known();
  return made_ && made_->known.epoch == known.epoch && made_->known.revision == known.revision &&
         made_->known.spec_revision == known.spec_revision && made_->known.own_troubles == known.own_troubles &&
         made_->known.is_spec_old == known.is_spec_old;
}

bool ViewGroup::has_work() const noexcept { return listening_ > 0 && (!is_current() || (wants_body_ && !body_)); }

void ViewGroup::on_topic() noexcept {
  if (is_current()) {
    note_poll(seen_at(topic_->known()));
  } else {
    request();
  }
}

void ViewGroup::request() {
  if (is_running_ || !has_work()) return;
  is_running_ = true;
  auto on_done = [self = shared_from_this()](std::exception_ptr error) {
    self->is_running_ = false;
    if (error) self->made_at_ = self->runtime_->time->now();  // do not retry at once
    self->wake_all();
  };
  spawn(runtime_->executor, run(), stop_.slot(), std::move(on_done));
}

Duration ViewGroup::pause() const noexcept {
  const auto all = static_cast<std::int64_t>(listening_);
  const Duration of_events = pause_of_event * all;
  const Duration of_bytes = pause_of_byte * static_cast<std::int64_t>(event_bytes_) * all;
  return std::clamp(std::max(of_events, of_bytes), shortest_group_pause, max_group_pause);
}

asio::awaitable<void> ViewGroup::run() {
  co_await next_turn();  // the caller continues first: it may be a topic that is being changed
  bool is_recreated = false;
  while (has_work()) {
    // The body is rendered once after each new rendering: content that always changes must not delay it forever.
    if (is_current() || (is_recreated && wants_body_ && !body_)) {
      co_await make_body();
      is_recreated = false;
    } else if (made_at_ && runtime_->time->now() < saturating_sum(*made_at_, pause())) {
      const bool is_awake = co_await sleep_until(*runtime_->timers, saturating_sum(*made_at_, pause()));
      if (!is_awake) co_return;
      continue;
    } else {
      co_await make();
      is_recreated = true;
    }
    co_await wake_in_turns();
    if (body_) co_await next_turn();  // listeners read the body before the next rendering replaces it
  }
}

asio::awaitable<void> ViewGroup::make() {
  const std::shared_ptr<const Rendering> before = made_;
  std::shared_ptr<Rendering> made = co_await render_view(*topic_, question_, before);
  const bool is_of_epoch = before && before->known.epoch == made->known.epoch;
  const bool is_changed = !is_of_epoch || made->revision != before->revision;
  if (!before || made->known.trouble != before->known.trouble) {
    if (before || !made->known.trouble.empty()) ++troubles_;
    trouble_ = CachedEvent();
  }
  // Differences start from a status. Clients that had none in between get the whole status.
  if (question_.awaits_existence && (!before || made->known.failure || before->known.failure)) whole_since_ = made->revision;
  if (before && !is_of_epoch) {
    whole_since_ = made->revision;
    trouble_ = CachedEvent();
  }
  if (is_changed) {
    before_ = is_of_epoch ? before->revision : 0;
    body_.reset();
    is_large_ = false;
    event_bytes_ = 0;
  }
  // Events contain the latest known position, which may advance while the content stays the same.
  const bool reaches_further =
      is_of_epoch && (made->known.revision != before->known.revision || made->known.spec_revision != before->known.spec_revision);
  if (reaches_further) trouble_ = CachedEvent();
  if (is_changed || reaches_further) {
    whole_ = CachedEvent();
    deltas_.clear();
    task_data_.clear();
  }
  ++renderings_;
  // An empty rendering was sent to no client: the next one need not wait.
  if (made->has_content || made->failure || !made->known.trouble.empty()) made_at_ = runtime_->time->now();
  made_ = std::move(made);
  note_poll(seen_at(is_current() ? topic_->known() : made_->known));
  if (is_changed && is_of_epoch && question_.view == View::status && before->has_content && made_->has_content)
    delta_event(before->revision);
}

std::optional<Body> ViewGroup::body() {
  if (body_) return body_;
  wants_body_ = true;
  request();
  return std::nullopt;
}

asio::awaitable<void> ViewGroup::make_body() {
  const std::shared_ptr<const Rendering> of = made_;
  Body body;
  if (of->has_content) {
    ++renderings_;
    std::string text = render_body(*of, question_.view, position_of(of->revision));
    body = co_await pack(std::move(text));
  }
  if (of == made_) {
    body_ = std::move(body);
    wants_body_ = false;
  }
}

asio::awaitable<void> ViewGroup::wake_in_turns() {
  Listeners rest;
  rest.swap(listeners_);
  for (std::size_t sent = 1; !rest.empty(); ++sent) {
    GroupListener& listener = rest.front();
    rest.pop_front();
    listeners_.push_back(listener);
    listener.news.wake();
    if (sent % steps_a_turn == 0) co_await next_turn();
  }
}

void ViewGroup::wake_all() {
  for (GroupListener& listener : listeners_) listener.news.wake();
}

std::size_t ViewGroup::kept_bytes() const noexcept {
  const auto size = [](const SharedText& bytes) { return bytes ? bytes->size() : 0; };
  const std::size_t of_members = made_ && made_->status ? made_->status->members.size() * sizeof(Member) : 0;
  return of_members + size(whole_.bytes) + (body_ ? size(body_->plain) + size(body_->packed) : 0);
}

std::string ViewGroup::etag() const { return '"' + position_of(made_ ? made_->revision : 0).to_text() + '"'; }

// A poll has confirmed the rendered content, or found it.
void ViewGroup::note_poll(const std::optional<SteadyTime>& polled_at) noexcept {
  polled_at_ = polled_at;
  if (made_->failure) return;
  content_polled_at_ = polled_at;
  content_at_ = position_of(made_->revision);
}

// A group without listeners does not see polls that found nothing new: the topic knows the age then.
Age ViewGroup::age() const {
  const bool is_of_topic = !made_ || is_current();
  return age_at(is_of_topic ? seen_at(topic_->known()) : polled_at_, runtime_->time->now());
}

}  // namespace rollcall::fleet
