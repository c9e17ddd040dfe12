// All clients that ask the same question about a topic: the answer is rendered once a change, and its bytes are shared.
#pragma once

#include <asio/cancellation_signal.hpp>
#include <boost/intrusive/list.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "async/async_event.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/entry/body.hpp"
#include "fleet/entry/rendering.hpp"

namespace rollcall::fleet {

class ViewGroup;
class GroupTag;
using GroupHook =
    boost::intrusive::list_base_hook<boost::intrusive::tag<GroupTag>, boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// A coroutine that waits for a group's events by awaiting `news`. Listens to the topic until it is destroyed.
class GroupListener final : public TopicListener, public GroupHook {
 public:
  /// What wakes it: new renderings of the group only, or also every poll of the topic.
  enum class Hears { renderings, polls };
  explicit GroupListener(std::shared_ptr<ViewGroup> group, Hears hears = Hears::renderings);
  ~GroupListener() override;
  void on_topic() noexcept override;
  bool wants_spec() const noexcept override;
  AsyncEvent news;

 private:
  std::shared_ptr<ViewGroup> group_;
  Hears hears_;
};

/// What was sent to a follower.
class SentState {
 public:
  SentState() {}
  std::string position_text() const { return Position(epoch, known).to_text(); }
  std::uint64_t epoch = 0;     ///< of all positions below
  bool has_content = false;
  bool has_older_content = false;  ///< of an earlier epoch
  bool has_fetched = false;    ///< it was sent `sync`: the body that it fetched may be newer than its position
  std::uint64_t position = 0;  ///< of the content
  std::uint64_t trouble = 0;   ///< number of the trouble in the group's count; 0: none
  std::uint64_t known = 0;     ///< the last position that was sent
  std::uint64_t min = 0;     ///< the position that it came with: nothing older is sent
};

class GroupEvent {
 public:
  GroupEvent(SharedText what, std::string_view of_type, bool is_last = false) : bytes(std::move(what)), type(of_type), ends(is_last) {}
  SharedText bytes;
  std::string_view type;  ///< a literal
  bool ends;  ///< the last event of the stream
};

class ViewGroup : public std::enable_shared_from_this<ViewGroup> {
 public:
  ViewGroup(std::shared_ptr<Runtime::Impl> runtime, std::shared_ptr<Topic> topic, FleetQuestion question);

  Topic& topic() const noexcept { return *topic_; }
  const FleetQuestion& question() const noexcept { return question_; }
  std::size_t listeners() const noexcept { return listening_; }
  SteadyTime used_at() const noexcept { return used_at_; }
  std::size_t kept_bytes() const noexcept;
  /// Number of renderings of any kind: answers, bytes of events, bodies. For tests and metrics.
  std::uint64_t renderings() const noexcept { return renderings_; }
  /// The client whose share of the memory this group counts for: an identity or an address. Empty: clients are not distinguished.
  std::string asked_by;

  /// The last rendering; null: none.
  const std::shared_ptr<const Rendering>& made() const noexcept { return made_; }
  /// True if the last rendering shows everything that is known now.
  bool is_current() const noexcept;
  /// Starts a rendering, after which the listeners are woken; does nothing if the last one is current.
  void request();
  /// The body of the last rendering; absent: not rendered yet, and its rendering is started.
  std::optional<Body> body();
  /// `"EPOCH.REVISION"`, in quotes.
  std::string etag() const;
  /// The age of the poll that made() shows; without a rendering, of the last poll.
  Age age() const;
  /// The last poll of what the view shows: a failure of the spec alone counts from the poll of the spec.
  std::optional<SteadyTime> polled_at() const noexcept {
    const Known& known = topic_->known();
    return made_ && made_->failure && !known.failure ? seen_at(known) : known.polled_at;
  }

  /// True if next_event() has an event for a follower in this state.
  bool has_event(const SentState& sent) const noexcept;
  /// The next event for a follower; updates its state. None: nothing new. `may_end`: the last poll is recent enough for a final failure.
  std::optional<GroupEvent> next_event(SentState& sent, std::string_view self, bool may_end);
  /// The state of a follower that comes back with this Last-Event-ID.
  SentState resumed(std::string_view last_event_id) const;
  SharedText heartbeat(const SentState& sent, const FallbackSchedule& fallback_schedule) const;

  /// Called by the listeners.
  void on_topic() noexcept;
  void wake_all();

 private:
  friend class GroupListener;
  class CachedEvent {
   public:
    SharedText bytes;
    std::string_view type;
    SteadyTime made_at{};
  };
  using Listeners =
      boost::intrusive::list<GroupListener, boost::intrusive::base_hook<GroupHook>, boost::intrusive::constant_time_size<false>>;

  asio::awaitable<void> run();
  asio::awaitable<void> make();
  asio::awaitable<void> make_body();
  asio::awaitable<void> wake_in_turns();
  bool has_work() const noexcept;
  void note_poll(const std::optional<SteadyTime>& polled_at) noexcept;
  /// The poll that found what the view shows.
  std::optional<SteadyTime> seen_at(const Known& known) const noexcept;
  Duration pause() const noexcept;
  bool is_fresh(const CachedEvent& event) const;
  SharedText keep(CachedEvent& event, std::string_view type, std::string_view data);
  Position position_of(std::uint64_t revision) const { return Position(made_ ? made_->known.epoch : topic_->known().epoch, revision); }
  std::uint64_t position() const noexcept;
  SentState in_present_epoch(SentState sent) const noexcept;
  bool may_send(const SentState& sent) const noexcept;
  bool has_news(const SentState& sent) const noexcept;
  bool has_trouble_news(const SentState& sent) const noexcept;
  GroupEvent content_event(const SentState& sent, std::string_view self);
  SharedText delta_event(std::uint64_t base);
  SharedText whole_event();
  SharedText task_event(std::string_view self);

  std::shared_ptr<Runtime::Impl> runtime_;
  std::shared_ptr<Topic> topic_;
  FleetQuestion question_;

  std::shared_ptr<const Rendering> made_;
  std::optional<SteadyTime> polled_at_;  // for age()
  std::optional<SteadyTime> content_polled_at_;  // the same for the last content, if a failure has replaced it
  Position content_at_;                          // of that content
  std::uint64_t before_ = 0;              // revision of the rendering before made_
  std::uint64_t whole_since_ = 0;        // first revision that differences may start from
  std::uint64_t troubles_ = 0;           // number of changes of the trouble
  std::optional<Body> body_;
  bool wants_body_ = false;
  bool is_large_ = false;                // too large for an event
  std::map<std::uint64_t, CachedEvent> deltas_;  // by the revision they start from
  CachedEvent whole_;
  std::string task_data_;                // of view=task: the part that is the same for all clients
  SteadyTime task_data_at_{};
  CachedEvent trouble_;
  std::size_t event_bytes_ = 0;          // size of the largest event since the last change

  Listeners listeners_;
  std::size_t listening_ = 0;
  SteadyTime used_at_;
  std::optional<SteadyTime> made_at_;
  bool is_running_ = false;
  asio::cancellation_signal stop_;
  std::uint64_t renderings_ = 0;
};

}  // namespace rollcall::fleet
