// The events of a group, as Server-Sent Events: rendered once for all followers, and again when the age in them is outdated.
#include <limits>
#include <utility>

#include "fleet/entry/view_group.hpp"
#include "fleet/wire/event_stream.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_event_bytes = 16 * 1024;
constexpr std::size_t max_raw_members = 32;  // of one event
constexpr std::size_t max_deltas = 8;         // for followers that lag behind by different steps
// An event is reused for this time: the age in it may be too small by as much.
constexpr Duration max_age_error = std::chrono::milliseconds(500);
// More members, or tasks, than fit into an event even if each is short.
constexpr std::size_t surely_too_many = 1000;

bool may_fit(const Rendering& rendering, View view) {
  if (view == View::status) return rendering.status->members.size() < surely_too_many;
  std::size_t tasks = 0;
  if (view == View::spec) {
    for (const ClusterSpec::Job& job : (*rendering.known.spec)->job_list()) tasks += job.tasks.size();
  }
  return tasks < surely_too_many;
}

}  // namespace

bool ViewGroup::is_fresh(const CachedEvent& event) const { return event.bytes && runtime_->time->now() - event.made_at <= max_age_error; }

SharedText ViewGroup::keep(CachedEvent& event, std::string_view type, std::string_view data) {
  ++renderings_;
  // An event of trouble beside a failure, or before any content, carries no position: a client that comes back with it gets the whole
  // content.
  const bool has_no_position = &event == &trouble_ && (made_->failure || !made_->has_content);
  const std::uint64_t known = has_no_position ? 0 : position();
  event.bytes = std::make_shared<const std::string>(render_server_event(type, data, position_of(known).to_text()));
  event.type = type;
  event.made_at = runtime_->time->now();
  event_bytes_ = std::max(event_bytes_, event.bytes->size());
  return event.bytes;
}

// The position after an event. It may be later than that of the content: the content may have changed and changed back, which another
// replica has sent and this one has not seen.
std::uint64_t ViewGroup::position() const noexcept {
  const Known& known = made_->known;
  return question_.view == View::spec ? std::max(known.revision, known.spec_revision) : known.revision;
}

// What was sent of an earlier epoch counts no more: the follower gets the whole state once.
SentState ViewGroup::in_present_epoch(SentState sent) const noexcept {
  if (!made_ || sent.epoch >= made_->known.epoch) return sent;
  SentState anew;
  anew.epoch = made_->known.epoch;
  anew.trouble = sent.trouble;
  anew.has_older_content = sent.has_content || sent.has_older_content;
  return anew;
}

// A follower that got a later position from another replica waits until this one has rendered it.
bool ViewGroup::may_send(const SentState& sent) const noexcept {
  if (sent.epoch > made_->known.epoch) return false;
  const Known& known = topic_->known();
  return sent.min <= position() || (is_current() && sent.min <= std::max(known.revision, known.spec_revision));
}

bool ViewGroup::has_news(const SentState& sent) const noexcept {
  return made_->has_content && (!sent.has_content || sent.position < made_->revision);
}

// The end of a trouble is sent only to followers that know of the trouble.
// Beside a failure it is sent only to followers without content: its age is that of the failed poll.
bool ViewGroup::has_trouble_news(const SentState& sent) const noexcept {
  if (made_->failure && (sent.has_content || sent.has_older_content)) return false;
  return sent.trouble != troubles_ && (sent.trouble != 0 || !made_->known.trouble.empty());
}

// A failure ends a stream only if it is current: the cluster may exist again.
bool ViewGroup::has_event(const SentState& of_any_epoch) const noexcept {
  const SentState sent = in_present_epoch(of_any_epoch);
  if (!made_ || !may_send(sent)) return false;
  return made_->failure ? is_current() || has_trouble_news(sent) : has_news(sent) || has_trouble_news(sent);
}

std::optional<GroupEvent> ViewGroup::next_event(SentState& sent, std::string_view self, bool may_end) {
  if (!has_event(sent)) return std::nullopt;
  sent = in_present_epoch(sent);
  if (made_->failure && may_end && is_current()) {
    if (!is_fresh(whole_)) keep(whole_, "final", render_failure_body(topic_->target(), *made_->failure));
    return GroupEvent(whole_.bytes, whole_.type, true);
  }
  if (!made_->failure && has_news(sent)) {
    GroupEvent event = content_event(sent, self);
    if (event.bytes == whole_.bytes) sent.has_fetched = is_large_;
    sent.has_content = true;
    sent.has_older_content = false;
    sent.position = made_->revision;
    sent.known = position();
    return event;
  }
  if (!has_trouble_news(sent)) return std::nullopt;
  sent.trouble = troubles_;
  if (sent.has_content) sent.known = position();
  if (!is_fresh(trouble_)) keep(trouble_, "trouble", render_trouble_event(made_->known.trouble, age()));
  return GroupEvent(trouble_.bytes, trouble_.type);
}

GroupEvent ViewGroup::content_event(const SentState& sent, std::string_view self) {
  // A member that has changed and changed back is not in the differences, but may be in a body that the follower has fetched in between: a
  // follower that has missed a step fetches the body again.
  const bool has_missed = sent.has_fetched && sent.position != before_;
  if (question_.view == View::status && sent.has_content && sent.position >= whole_since_ && !has_missed) {
    SharedText delta = delta_event(sent.position);
    if (delta) return GroupEvent(std::move(delta), "members");
  }
  if (made_->tasks) return GroupEvent(task_event(self), "ready");
  SharedText whole = whole_event();
  return GroupEvent(std::move(whole), whole_.type);
}

// Null: the base is forgotten, or there are too many differences.
SharedText ViewGroup::delta_event(std::uint64_t base) {
  if (base < whole_since_) return nullptr;
  const auto cached = deltas_.find(base);
  // A null result is kept as well: to find it takes a comparison of all members.
  if (cached != deltas_.end() && (!cached->second.bytes || is_fresh(cached->second))) return cached->second.bytes;
  // The topic's differences end at the present status, and the rendering may be older.
  if (!is_current()) return nullptr;
  if (deltas_.size() >= max_deltas && cached == deltas_.end()) deltas_.clear();
  CachedEvent& event = deltas_[base];
  event = CachedEvent();
  const std::optional<StatusDelta> delta = topic_->since(base);
  if (!delta || delta->changed.size() + delta->gone.size() > max_raw_members) return nullptr;
  const std::string data = render_members_event(made_->known.generation, *delta, age().value());
  return data.size() > max_event_bytes ? nullptr : keep(event, "members", data);
}

SharedText ViewGroup::whole_event() {
  if (is_fresh(whole_)) return whole_.bytes;
  const View view = question_.view;
  is_large_ = is_large_ || !may_fit(*made_, view);
  std::string data;
  if (!is_large_) {
    data = render_body(*made_, view, position_of(made_->revision), age());
    const bool is_bounded = view == View::progress || view == View::task;
    is_large_ = !is_bounded && data.size() > max_event_bytes;
  }
  if (is_large_) data = render_sync_event(position_of(made_->revision), made_->known.generation, age().value());
  const std::string_view type = is_large_                  ? "sync"
                                : made_->progress.is_ready ? "ready"
                                : view == View::status     ? "status"
                                : view == View::spec       ? "spec"
                                                           : "progress";
  return keep(whole_, type, data);
}

// Only the client's own task differs; the rest is rendered once.
SharedText ViewGroup::task_event(std::string_view self) {
  if (self.empty()) return whole_event();
  if (task_data_.empty() || runtime_->time->now() - task_data_at_ > max_age_error) {
    ++renderings_;
    task_data_ = render_body(*made_, View::task, position_of(made_->revision), age());
    task_data_.pop_back();  // the closing brace
    task_data_at_ = runtime_->time->now();
  }
  const std::string data = task_data_ + ",\"task\":" + made_->tasks->own_task(self) + "}";
  event_bytes_ = std::max(event_bytes_, data.size());
  return std::make_shared<const std::string>(render_server_event("ready", data, position_of(position()).to_text()));
}

SentState ViewGroup::resumed(std::string_view last_event_id) const {
  SentState sent;
  const std::optional<Position> position = Position::parse(last_event_id);
  // Progress is short, and is sent again to every client that comes back.
  const bool has_differences = question_.view == View::status || question_.view == View::spec;
  sent.epoch = topic_->known().epoch;
  if (!position || position->epoch < sent.epoch) return sent;
  sent.epoch = position->epoch;
  if (position->revision == 0) return sent;
  sent.min = sent.known = position->revision;
  const bool is_ahead =
      position->epoch > topic_->known().epoch || position->revision > std::max(topic_->known().revision, topic_->known().spec_revision);
  if (!has_differences || is_ahead) return sent;
  sent.has_content = true;
  sent.position = sent.known = position->revision;
  sent.trouble = std::numeric_limits<std::uint64_t>::max();  // the present trouble is sent again
  return sent;
}

// While a failure is not confirmed by a recent poll, the heartbeat carries the age of the content that the follower has.
SharedText ViewGroup::heartbeat(const SentState& sent, const FallbackSchedule& fallback_schedule) const {
  const bool is_over = made_ && made_->failure && (sent.has_content || sent.has_older_content);
  const bool is_of_content = sent.epoch == content_at_.epoch && sent.position >= content_at_.revision;
  const Age of_content = !is_of_content ? std::nullopt : age_at(content_polled_at_, runtime_->time->now());
  const Age of_sent = is_over ? of_content : age();
  return std::make_shared<const std::string>(
      render_server_event("beat", render_heartbeat_event(fallback_schedule, of_sent), sent.position_text()));
}

}  // namespace rollcall::fleet
