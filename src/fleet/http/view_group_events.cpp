// What a group tells its followers, as Server-Sent Events: made once, and again only where its age has grown old.
#include <limits>
#include <utility>

#include "fleet/http/view_group.hpp"
#include "fleet/wire/event_stream.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_event_bytes = 16 * 1024;
constexpr std::size_t max_raw_members = 32;  // of one event
constexpr std::size_t max_deltas = 8;         // for those who lag behind by different steps
// An event's age is told once for all who are told within this time: it may be too small by as much.
constexpr Duration max_age_error = std::chrono::milliseconds(500);
// More members, or tasks, than fit into an event, however short each is.
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
  // Trouble beside a failure, or before anything else, tells nothing of what is there: whoever comes back gets the whole.
  const bool tells_nothing = &event == &trouble_ && (made_->failure || !made_->has_content);
  const std::uint64_t known = tells_nothing ? 0 : position();
  event.bytes = std::make_shared<const std::string>(render_server_event(type, data, position_of(known).to_text()));
  event.type = type;
  event.made_at = runtime_->time->now();
  event_bytes_ = std::max(event_bytes_, event.bytes->size());
  return event.bytes;
}

// What is known once an event has been read: the content may have stood for longer, or have changed and changed back, which another replica
// has told and this one has not seen.
std::uint64_t ViewGroup::position() const noexcept {
  const Known& known = made_->known;
  return question_.view == View::spec ? std::max(known.revision, known.spec_revision) : known.revision;
}

// Who was told more elsewhere waits until that is made here.
bool ViewGroup::may_tell(const SentState& sent) const noexcept { return sent.min <= position() || is_current(); }

bool ViewGroup::has_news(const SentState& sent) const noexcept {
  return made_->has_content && (!sent.has_content || sent.position < made_->revision);
}

// Who has heard of none needs not hear that there is none any more.
// Beside a failure it is told to those alone who know nothing else: the age is that of the look that failed.
bool ViewGroup::has_trouble_news(const SentState& sent) const noexcept {
  if (made_->failure && sent.has_content) return false;
  return sent.trouble != troubles_ && (sent.trouble != 0 || !made_->known.trouble.empty());
}

// What ended a cluster may be over: a failure ends no stream before it is made of what is known now.
bool ViewGroup::has_event(const SentState& sent) const noexcept {
  if (!made_ || !may_tell(sent)) return false;
  return made_->failure ? is_current() || has_trouble_news(sent) : has_news(sent) || has_trouble_news(sent);
}

std::optional<GroupEvent> ViewGroup::next_event(SentState& sent, std::string_view self, bool may_end) {
  if (!has_event(sent)) return std::nullopt;
  if (made_->failure && may_end && is_current()) {
    if (!is_fresh(whole_)) keep(whole_, "final", render_failure_body(topic_->target(), *made_->failure));
    return GroupEvent(whole_.bytes, whole_.type, true);
  }
  if (!made_->failure && has_news(sent)) {
    GroupEvent event = content_event(sent, self);
    if (event.bytes == whole_.bytes) sent.has_fetched = is_large_;
    sent.has_content = true;
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
  // A member that has changed and changed back is no difference, but in a body that was fetched in between it is: whoever has been told
  // of less than every step since fetches anew.
  const bool has_missed = sent.has_fetched && sent.position != before_;
  if (question_.view == View::status && sent.has_content && sent.position >= whole_since_ && !has_missed) {
    SharedText delta = delta_event(sent.position);
    if (delta) return GroupEvent(std::move(delta), "members");
  }
  if (made_->tasks) return GroupEvent(task_event(self), "ready");
  SharedText whole = whole_event();
  return GroupEvent(std::move(whole), whole_.type);
}

// Null: not known any more, or too much.
SharedText ViewGroup::delta_event(std::uint64_t base) {
  if (base < whole_since_) return nullptr;
  const auto cached = deltas_.find(base);
  // Too much once is too much for all: to find that out takes a look at every member.
  if (cached != deltas_.end() && (!cached->second.bytes || is_fresh(cached->second))) return cached->second.bytes;
  // The topic tells of differences from then to now, and what was made may be older than that.
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

// Who is ready differs by who asks; all the rest is made once.
SharedText ViewGroup::task_event(std::string_view self) {
  if (self.empty()) return whole_event();
  if (task_data_.empty() || runtime_->time->now() - task_data_at_ > max_age_error) {
    ++renderings_;
    task_data_ = render_body(*made_, View::task, position_of(made_->revision), age());
    task_data_.pop_back();  // the brace
    task_data_at_ = runtime_->time->now();
  }
  const std::string data = task_data_ + ",\"task\":" + made_->tasks->own_task(self) + "}";
  event_bytes_ = std::max(event_bytes_, data.size());
  return std::make_shared<const std::string>(render_server_event("ready", data, position_of(position()).to_text()));
}

SentState ViewGroup::resumed(std::string_view last_event_id) const {
  SentState sent;
  const std::optional<Position> position = Position::parse(last_event_id);
  // How far it is, and who is missing, is short: whoever comes back is told at once.
  const bool has_differences = question_.view == View::status || question_.view == View::spec;
  if (!position || position->instance != instance_ || position->revision == 0) return sent;
  sent.min = sent.known = position->revision;
  if (!has_differences || position->revision > std::max(topic_->known().revision, topic_->known().spec_revision)) return sent;
  sent.has_content = true;
  sent.position = sent.known = position->revision;
  sent.trouble = std::numeric_limits<std::uint64_t>::max();  // whatever it was, it is told anew how that stands
  return sent;
}

// Who was told of a cluster that is over, for which no fresh look has come yet, is told how old that is which it was told.
SharedText ViewGroup::heartbeat(const SentState& sent, const FallbackSchedule& fallback_schedule) const {
  const bool is_over = made_ && made_->failure && sent.has_content;
  const Age of_content = sent.position < content_revision_ ? std::nullopt : age_at(content_polled_at_, runtime_->time->now());
  const Age of_sent = is_over ? of_content : age();
  return std::make_shared<const std::string>(
      render_server_event("beat", render_heartbeat_event(fallback_schedule, of_sent), position_of(sent.known).to_text()));
}

}  // namespace rollcall::fleet
