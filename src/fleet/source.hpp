// Who asks, for the topics that can be asked for together. A source lives as long as one of its topics is followed.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "async/async_event.hpp"
#include "base/exceptions.hpp"
#include "fleet/topic_state.hpp"
#include "rollcall/call.hpp"

namespace rollcall::fleet {

class Source : public std::enable_shared_from_this<Source> {
 public:
  Source(std::shared_ptr<FleetCore> core, std::string key) : core_(std::move(core)), key_(std::move(key)) {}
  virtual ~Source() = default;

  /// Starts asking. It ends by close(), or when none of its topics is followed any more.
  void start();
  /// Follows one more. TopicState::source is set by the caller.
  virtual void add(std::shared_ptr<TopicState> topic) = 0;
  /// See Topic::refresh_soon().
  virtual void refresh_soon(TopicState& topic) = 0;
  /// Something else is wanted of a topic than before: a spec; or it is not followed any more.
  virtual void attend() = 0;
  /// Stops asking; from within a listener, too.
  void close();

  const std::string& key() const noexcept { return key_; }
  /// Of the last minute, about.
  virtual std::size_t requests_a_minute() const { return 0; }
  /// What it keeps to, with all sources of its project; 0: nothing.
  virtual int quota_a_minute() const { return 0; }

 protected:
  /// Asks until none is followed (no failure), or it is cancelled.
  virtual asio::awaitable<Result<void>> run(Call& call) = 0;
  /// cluster_status(), and the spec if it is needed; what is thrown becomes a failure of this topic alone. The topic has been told.
  /// Errors: cancelled.
  static asio::awaitable<Result<PollOutcome>> poll(Call& inner, std::shared_ptr<TopicState> topic, bool may_be_unconfirmed);
  static asio::awaitable<Result<void>> ask_spec(Call& inner, std::shared_ptr<TopicState> topic);
  bool is_followed(const TopicState& topic) const { return topic.source.lock().get() == this; }
  /// What `ask()` comes to. A resolver that throws has a fault of its own, and of nobody else.
  template <class T, class Ask>
  static asio::awaitable<Result<T>> guarded(const TopicState& topic, Ask ask) {
    std::optional<Result<T>> answer;
    try {
      Result<T> given = co_await ask();
      answer.emplace(std::move(given));
    } catch (...) {
      answer.emplace(failure_of_thrown(std::current_exception(), topic.target()));
    }
    co_return std::move(*answer);
  }
  Runtime::Impl& runtime() const;
  SteadyTime now() const;

  std::shared_ptr<FleetCore> core_;

 private:
  std::string key_;
  asio::cancellation_signal signal_;
};

/// Asks for many topics at once, again and again.
std::shared_ptr<Source> make_polled_source(std::shared_ptr<FleetCore> core, std::string key);
/// Of one topic, whose service tells of changes.
std::shared_ptr<Source> make_watch_source(std::shared_ptr<FleetCore> core, std::string key);

inline constexpr Duration pause_between_refreshes = std::chrono::seconds(2);  ///< see Topic::refresh_soon()
inline constexpr Duration pause_when_absent = std::chrono::seconds(10);    ///< before what does not exist is looked for again
inline constexpr Duration pause_when_lasting = std::chrono::seconds(30);   ///< before a look that will hardly do better
/// Before what has been missing for so long is looked for again.
constexpr Duration pause_of_absent(Duration missing_for) { return std::clamp(missing_for / 10, pause_when_absent, pause_when_lasting); }

}  // namespace rollcall::fleet
