// All who ask the same question about a topic: what they are told is made once a change, and its bytes are shared.
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
#include "fleet/http/body.hpp"
#include "fleet/http/rendering.hpp"

namespace rollcall::fleet {

class ViewGroup;
class GroupTag;
using GroupHook =
    boost::intrusive::list_base_hook<boost::intrusive::tag<GroupTag>, boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// One who waits for what a group tells: a coroutine, which sleeps on `news`. It listens to the topic for as long as it lives.
class GroupListener final : public TopicListener, public GroupHook {
 public:
  /// What wakes it, besides what the group has made: nothing, or every look at the topic.
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

/// What a follower has been told.
class SentState {
 public:
  SentState() {}
  bool has_content = false;
  bool has_fetched = false;    ///< it was told to fetch a body, which may be newer than its position
  std::uint64_t position = 0;  ///< of the content
  std::uint64_t trouble = 0;   ///< which one, as the group counts them; 0: none
  std::uint64_t known = 0;     ///< the last position that it was told
  std::uint64_t min = 0;     ///< the position that it came with: it is told nothing older
};

class GroupEvent {
 public:
  GroupEvent(SharedText what, std::string_view of_type, bool is_last = false) : bytes(std::move(what)), type(of_type), ends(is_last) {}
  SharedText bytes;
  std::string_view type;  ///< a literal
  bool ends;  ///< nothing follows it
};

class ViewGroup : public std::enable_shared_from_this<ViewGroup> {
 public:
  ViewGroup(std::shared_ptr<Runtime::Impl> runtime, std::shared_ptr<Topic> topic, FleetQuestion question, std::string instance);

  Topic& topic() const noexcept { return *topic_; }
  const FleetQuestion& question() const noexcept { return question_; }
  std::size_t listeners() const noexcept { return listening_; }
  SteadyTime used_at() const noexcept { return used_at_; }
  std::size_t kept_bytes() const noexcept;
  /// How often something was made for all: an answer, the bytes of an event, of a body. For tests and metrics.
  std::uint64_t renderings() const noexcept { return renderings_; }
  /// Who asked this question first: an identity or an address; empty: clients are not told apart.
  std::string asked_by;

  /// What was made last; null: nothing was.
  const std::shared_ptr<const Rendering>& made() const noexcept { return made_; }
  /// True if it was made of what is known now.
  bool is_current() const noexcept;
  /// Has it made soon, and its listeners woken then; nothing where it is current.
  void request();
  /// The body of what was made last, plain or packed, once it is there; else null, and it is made soon. Packed is null for short ones.
  std::optional<Body> body();
  /// `"INSTANCE.REVISION"`, in quotes.
  std::string etag() const;
  /// What it tells has to do with what is at this position: it is of the same history.
  bool is_of(const Position& position) const noexcept { return position.instance == instance_; }
  Position position_of(std::uint64_t revision) const { return Position(instance_, revision); }
  /// How old the look is that made() rests on; where nothing was made, the last one.
  Age age() const;
  /// When the topic was last seen as far as the view shows it: a failure of its spec alone counts from when the spec was asked for.
  std::optional<SteadyTime> polled_at() const noexcept {
    const Known& known = topic_->known();
    return made_ && made_->failure && !known.failure ? seen_at(known) : known.polled_at;
  }

  /// True if next_event() has something for one who was told that much.
  bool has_event(const SentState& sent) const noexcept;
  /// What is to be told next to one who was told that much, which it notes. None: nothing, now. `may_end`: the last look is young enough
  /// for a verdict.
  std::optional<GroupEvent> next_event(SentState& sent, std::string_view self, bool may_end);
  /// What to take for told by one who comes back with this Last-Event-ID.
  SentState resumed(std::string_view last_event_id) const;
  SharedText heartbeat(const SentState& sent, const FallbackSchedule& fallback_schedule) const;

  /// Listeners call it.
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
  asio::awaitable<void> tell();
  bool has_work() const noexcept;
  void note_poll(const std::optional<SteadyTime>& polled_at) noexcept;
  /// When that was so which the view shows.
  std::optional<SteadyTime> seen_at(const Known& known) const noexcept;
  Duration pause() const noexcept;
  bool is_fresh(const CachedEvent& event) const;
  SharedText keep(CachedEvent& event, std::string_view type, std::string_view data);
  std::uint64_t position() const noexcept;
  bool may_tell(const SentState& sent) const noexcept;
  bool has_news(const SentState& sent) const noexcept;
  bool has_trouble_news(const SentState& sent) const noexcept;
  GroupEvent content_event(const SentState& sent, std::string_view self);
  SharedText delta_event(std::uint64_t base);
  SharedText whole_event();
  SharedText task_event(std::string_view self);

  std::shared_ptr<Runtime::Impl> runtime_;
  std::shared_ptr<Topic> topic_;
  FleetQuestion question_;
  std::string instance_;

  std::shared_ptr<const Rendering> made_;
  std::optional<SteadyTime> polled_at_;  // what age() rests on
  std::optional<SteadyTime> content_polled_at_;  // the same of the last content, where a verdict has come after it
  std::uint64_t content_revision_ = 0;           // of that content
  std::uint64_t before_ = 0;              // revision of what was told before made_
  std::uint64_t whole_since_ = 0;        // what was told before is no base for differences
  std::uint64_t troubles_ = 0;           // counts changes of it
  std::optional<Body> body_;
  bool wants_body_ = false;
  bool is_large_ = false;                // too large for an event
  std::map<std::uint64_t, CachedEvent> deltas_;  // by what they start from
  CachedEvent whole_;
  std::string task_data_;                // of task: what is the same for all
  SteadyTime task_data_at_{};
  CachedEvent trouble_;
  std::size_t event_bytes_ = 0;          // of the largest since the last change

  Listeners listeners_;
  std::size_t listening_ = 0;
  SteadyTime used_at_;
  std::optional<SteadyTime> made_at_;
  bool is_running_ = false;
  asio::cancellation_signal stop_;
  std::uint64_t renderings_ = 0;
};

}  // namespace rollcall::fleet
