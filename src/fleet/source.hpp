// Polls the topics that one request can cover together. A source lives as long as one of its topics is followed.
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

  /// Starts polling. It ends by close(), or when none of its topics is followed any more.
  void start();
  /// Adds a topic. The caller sets TopicState::source.
  virtual void add(std::shared_ptr<TopicState> topic) = 0;
  /// See Topic::refresh_soon().
  virtual void refresh_soon(TopicState& topic) = 0;
  /// Call after a change of what a topic needs: it needs its spec, or is not followed any more.
  virtual void attend() = 0;
  /// Stops polling; may be called by a listener, too.
  void close();

  const std::string& key() const noexcept { return key_; }
  /// In the last minute; approximate.
  virtual std::size_t requests_a_minute() const { return 0; }
  /// The limit that it shares with all sources of its project; 0: none.
  virtual int quota_a_minute() const { return 0; }

 protected:
  /// Polls until no topic is followed (no failure), or until it is cancelled.
  virtual asio::awaitable<Result<void>> run(Call& call) = 0;
  /// Calls do_cluster_status(), and do_cluster_spec() if the topic needs it. An exception becomes a failure of this topic alone. The topic
  /// has the result. Errors: cancelled.
  static asio::awaitable<Result<PollOutcome>> poll(Call& inner, std::shared_ptr<TopicState> topic, bool may_be_unconfirmed);
  static asio::awaitable<Result<void>> ask_spec(Call& inner, std::shared_ptr<TopicState> topic);
  bool is_followed(const TopicState& topic) const { return topic.source.lock().get() == this; }
  /// The result of `ask()`. An exception from a resolver becomes a failure of this topic alone.
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

/// Polls many topics at once, again and again.
std::shared_ptr<Source> make_polled_source(std::shared_ptr<FleetCore> core, std::string key);
/// Follows one topic whose service reports changes.
std::shared_ptr<Source> make_watch_source(std::shared_ptr<FleetCore> core, std::string key);

inline constexpr Duration pause_between_refreshes = std::chrono::seconds(2);  ///< see Topic::refresh_soon()
inline constexpr Duration pause_when_absent = std::chrono::seconds(10);  ///< before a target that does not exist is polled again
inline constexpr Duration pause_when_lasting = std::chrono::seconds(30);  ///< before a poll that will probably fail again
/// The pause before a target is polled again that has been missing for `missing_for`.
constexpr Duration pause_of_absent(Duration missing_for) { return std::clamp(missing_for / 10, pause_when_absent, pause_when_lasting); }

}  // namespace rollcall::fleet
