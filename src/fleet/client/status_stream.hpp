// One stream of a server's: events come in, a copy of the status is kept, the observer is told.
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

/// What is kept from one stream to the next, whatever server it comes from.
class FollowedStatus {
 public:
  FollowedStatus() {}
  std::optional<ClusterStatus> status;
  fleet::Position position;                   ///< of the status
  std::optional<SteadyTime> polled_at;        ///< when the look was that the status rests on
  std::size_t changed_bytes = 0;              ///< of changes since the status was told as a whole
  std::optional<fleet::Position> last_event;  ///< where the next stream goes on
  bool is_reported_old = false;                   ///< that the status is older than ServerOptions::max_age has been told
  std::string trouble;                        ///< of the service with the cloud; empty: none
  Duration retry = std::chrono::seconds(1);
  SteadyTime not_before{};                    ///< the service is busy until then, it says

  /// When the status will be too old to make anything ready, which is to be told then; max(): it has been, or there is none.
  SteadyTime old_from(Duration max_age) const {
    if (is_reported_old || !polled_at) return SteadyTime::max();
    return saturating_sum(saturating_sum(*polled_at, max_age), std::chrono::milliseconds(1));
  }
};

enum class StreamEnd {
  ended,   ///< it had events, or the proof of who asks has run out; another one goes on where it was
  moved,   ///< the server says so
  old,     ///< what the server tells is older than ServerOptions::max_age, and another one may know more
  silent,  ///< nothing sensible came, or what makes no sense; with a failure
  refused, ///< the server wants another token; with the failure
  final,   ///< asking again cannot mend it; with the failure
};

class StatusStream final : public BodySink {
 public:
  /// The references must outlive the stream. `question`: of the view status.
  StatusStream(Call& call, std::shared_ptr<RemoteServers> servers, std::size_t server, fleet::FleetQuestion question,
               FollowedStatus& followed, StatusObserver& feed);

  /// Until it ends. Errors: cancelled.
  asio::awaitable<Result<StreamEnd>> run();
  /// Why it ended, for `silent`, `refused` and `final`.
  const Failure& failure() const noexcept { return failure_; }
  /// It has told more than that the server is there.
  bool has_sent() const noexcept { return has_content_; }

  void restart() override { refused_ = ServerAnswer(); }
  Result<void> take(std::string_view piece) override;

 private:
  /// An event with the time it came.
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
  /// When a server whose data are old is left for another one; max(): they are not, or there is none.
  SteadyTime leave_from();
  StreamEnd malformed(std::string_view what);
  void seen(Duration age, SteadyTime at);
  void tell();

  Call& call_;
  std::shared_ptr<RemoteServers> servers_;
  std::size_t server_;
  fleet::FleetQuestion question_;
  FollowedStatus& followed_;
  StatusObserver& feed_;
  fleet::EventStreamReader reader_;
  std::deque<Came> events_;
  std::size_t event_bytes_ = 0;
  AsyncEvent news_;
  bool is_over_ = false;
  bool is_first_ = true;      // no event has come
  bool has_content_ = false;  // one that says more than that the server is there
  bool is_to_be_reported_ = false;
  SteadyTime heard_at_;  // the last event
  SteadyTime began_;
  std::optional<Duration> leaving_;  // how long after others it leaves
  ServerAnswer refused_;
  Result<void> read_end_;
  Failure failure_;
};

}  // namespace rollcall
