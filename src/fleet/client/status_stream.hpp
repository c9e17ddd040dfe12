// One stream of a server: reads its events, keeps a copy of the status, and reports to the observer.
#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "async/async_event.hpp"
#include "base/saturating.hpp"
#include "call/api_client.hpp"
#include "fleet/client/remote_servers.hpp"
#include "fleet/wire/event_stream.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// State that is kept from one stream to the next, from any server.
class FollowedStatus {
 public:
  FollowedStatus() {}
  std::optional<ClusterStatus> status;
  fleet::Position position;                   ///< of the status
  std::optional<SteadyTime> polled_at;        ///< the poll that the status comes from
  std::size_t changed_bytes = 0;              ///< of changes since the status was received as a whole
  std::optional<fleet::Position> last_event;  ///< where the next stream continues
  bool is_reported_old = false;                   ///< it was reported that the status is older than ServerOptions::max_age
  std::string trouble;                        ///< of the service with its cloud; empty: none
  Duration retry = std::chrono::seconds(1);
  SteadyTime not_before{};                    ///< the service said that it is busy until then

  /// When the status becomes too old to make anything ready, which is then reported; max(): it was reported, or there is no status.
  SteadyTime old_from(Duration max_age) const {
    if (is_reported_old || !polled_at) return SteadyTime::max();
    return saturating_sum(saturating_sum(*polled_at, max_age), std::chrono::milliseconds(1));
  }
};

enum class StreamEnd {
  ended,   ///< it had events, or the client's token has expired; another stream continues at the same place
  moved,   ///< the server says so
  old,     ///< the server's data are older than ServerOptions::max_age, and another server may have newer ones
  silent,  ///< no valid event came, or a malformed one; with a failure
  refused, ///< the server wants another token; with the failure
  final,   ///< another try cannot succeed; with the failure
};

class StatusStream final : public BodySink {
 public:
  /// The references must outlive the stream. `question`: of the view status.
  StatusStream(Call& call, std::shared_ptr<RemoteServers> servers, std::size_t server, fleet::FleetQuestion question,
               FollowedStatus& followed, StatusObserver& observer);

  /// Runs until the stream ends. Errors: cancelled.
  asio::awaitable<Result<StreamEnd>> run();
  /// Why it ended, for `silent`, `refused` and `final`.
  const Failure& failure() const noexcept { return failure_; }
  /// True if the server sent more than heartbeats.
  bool has_sent() const noexcept { return has_content_; }

  void restart() override { refused_ = ServerAnswer(); }
  Result<void> take(std::string_view piece) override;

 private:
  /// An event and the time of its arrival.
  class Came {
   public:
    Came(fleet::ServerEvent what, SteadyTime when) : event(std::move(what)), at(when) {}
    fleet::ServerEvent event;
    SteadyTime at;
  };

  asio::awaitable<Result<void>> read();
  asio::awaitable<Result<void>> open(Call& inner);
  asio::awaitable<Result<StreamEnd>> follow_events();
  asio::awaitable<std::optional<StreamEnd>> take_event(Came came);
  asio::awaitable<std::optional<StreamEnd>> synchronize(std::string_view json);
  std::optional<StreamEnd> take_status(std::string_view json, SteadyTime at);
  std::optional<StreamEnd> take_members(const fleet::Position& id, std::string_view json, SteadyTime at);
  std::optional<StreamEnd> take_trouble(std::string_view json);
  std::optional<StreamEnd> take_heartbeat(const fleet::Position& id, std::string_view json, SteadyTime at);
  std::optional<StreamEnd> take_final(std::string_view json);
  StreamEnd end(StreamEnd how, Failure failure);
  StreamEnd wait_for_service(const ServerAnswer& busy);
  void keep(fleet::StatusDocument document);
  /// When to leave a server with old data for another one; max(): its data are not old, or there is no other.
  SteadyTime leave_from();
  StreamEnd fenced(const fleet::Position& id);
  StreamEnd malformed(std::string_view what);
  void seen(Duration age, SteadyTime at);
  void report_status();

  Call& call_;
  std::shared_ptr<RemoteServers> servers_;
  std::size_t server_;
  fleet::FleetQuestion question_;
  FollowedStatus& followed_;
  StatusObserver& observer_;
  fleet::EventStreamReader reader_;
  std::deque<Came> events_;
  std::size_t event_bytes_ = 0;
  AsyncEvent news_;
  bool is_over_ = false;
  bool is_first_ = true;      // before the first event
  bool has_content_ = false;  // an event other than a heartbeat has come
  bool is_to_be_reported_ = false;
  SteadyTime heard_at_;  // the last event
  SteadyTime began_;
  std::optional<Duration> leaving_;  // how long after other clients this one leaves
  ServerAnswer refused_;
  Result<void> read_end_;
  Failure failure_;
};

}  // namespace rollcall
