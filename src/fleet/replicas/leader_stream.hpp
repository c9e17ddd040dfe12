// One stream from the leader, as a replica that follows reads it, and the list of wanted targets that it sends.
#pragma once

#include <asio/awaitable.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "async/async_event.hpp"
#include "call/api_client.hpp"
#include "fleet/replicas/peer_link.hpp"
#include "fleet/replicas/rules/peer_clock.hpp"
#include "fleet/replicas/shared_topic.hpp"
#include "fleet/wire/event_stream.hpp"
#include "json/limits.hpp"

namespace rollcall::fleet {

class LeaderListener {
 public:
  virtual ~LeaderListener() = default;
  /// The stream is of a leader of this epoch. Errors: failed_precondition: a later one is known.
  virtual Result<void> on_hello(std::uint64_t epoch) = 0;
  /// Null: there is no room for another target, or it is none that a service follows.
  virtual std::shared_ptr<SharedTopic> topic_of(const std::string& target) = 0;
  /// The leader has forgotten it.
  virtual void on_gone(SharedTopic& topic) = 0;
  /// All up to this position has come, as it was at `sent_at`.
  virtual void on_reached(const Position& position, ReachedDocument document, SteadyTime sent_at) = 0;
  virtual WantedDocument wanted() = 0;
};

class LeaderStream final : public BodySink {
 public:
  /// All references outlive it. `url`: of the leader. `self`: the id of this replica. `schema`: the highest that it speaks.
  LeaderStream(Call& call, PeerLink& link, std::string url, std::string self, int schema, LeaderListener& listener,
               AsyncEvent& wanted_news);

  /// Until the stream ends; it has a reason then.
  asio::awaitable<Result<void>> run();

  void restart() override {}
  Result<void> take(std::string_view piece) override;

 private:
  // A topic of which parts are still to come.
  class Pending {
   public:
    TopicDocument document;
    StatusDelta difference;
    int parts = 0;
    SteadyTime sent_at{};
  };
  using Number = std::uint64_t;

  asio::awaitable<Result<void>> read();
  asio::awaitable<Result<void>> open(Call& inner);
  asio::awaitable<Result<void>> send_wanted();
  asio::awaitable<Result<void>> put(Call& inner, const WantedDocument& document);
  Result<void> take_event(const ServerEvent& event, SteadyTime came_at);
  Result<void> take_hello(std::string_view json);
  Result<void> take_topic(std::string_view json, SteadyTime came_at);
  Result<void> take_part(std::string_view json);
  Result<void> take_looked(std::string_view json, SteadyTime came_at);
  Result<void> take_gone(std::string_view json);
  Result<void> take_reached(std::string_view json, std::string_view id, SteadyTime came_at);
  Result<void> apply(Pending pending);
  SteadyTime sent_at(Milliseconds at, SteadyTime came_at) { return came_at - clock_.delay_of(at, came_at); }

  Call& call_;
  PeerLink& link_;
  std::string url_;
  std::string self_;
  int schema_;  // from hello on that of the stream
  LeaderListener& listener_;
  AsyncEvent& wanted_news_;
  ParseLimits limits_;
  EventStreamReader reader_;
  PeerClock clock_;
  std::optional<std::uint64_t> epoch_;  // none: there was no hello
  std::map<Number, std::shared_ptr<SharedTopic>> topics_;  // null: it has no place here, until it comes as a whole
  std::optional<Pending> pending_;
};

}  // namespace rollcall::fleet
