// What the handlers of one service share: its groups, its bounds, and how each kind of question is answered.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "call/runtime_impl.hpp"
#include "call/single_flight.hpp"
#include "fleet/fleet.hpp"
#include "fleet/http/fleet_handler.hpp"
#include "fleet/http/rules/peer_limits.hpp"
#include "fleet/http/view_group.hpp"
#include "net/server/http_server.hpp"

namespace rollcall::fleet {

/// An answer that is no success: the status, and what its body says.
class Refusal {
 public:
  Refusal(int with_status, Failure why) : status(with_status), failure(std::move(why)) {}
  int status;
  Failure failure;
  std::string target;
};

/// True where what is known is older than an answer, or a verdict, should be.
bool is_old_look(const Known& known, SteadyTime now) noexcept;

class FleetRequests : public std::enable_shared_from_this<FleetRequests> {
 public:
  FleetRequests(std::shared_ptr<Fleet> fleet, FleetHttpOptions options);

  /// `exchange` lives as long as the await.
  asio::awaitable<void> handle(ServerExchange& exchange);
  void close(Duration spread);
  std::size_t followers() const noexcept { return waiting_; }

 private:
  // A place among those that wait, until it is destroyed. What waits outlives the server where the loop ends first.
  class Seat {
   public:
    Seat(std::shared_ptr<FleetRequests> service, std::string peer);
    ~Seat();
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

   private:
    std::shared_ptr<FleetRequests> service_;
    std::string peer_;  // empty: this machine, which is not counted
  };
  using SeatPtr = std::unique_ptr<Seat>;

  class Summary {
   public:
    std::weak_ptr<Topic> topic;
    std::uint64_t revision = 0;
    ProgressDocument progress;
  };

  // fleet_service.cpp: what is asked, and whether it may be.
  asio::awaitable<void> handle_cluster(ServerExchange& exchange, std::string_view question);
  std::optional<Refusal> refusal_of(const ServerRequest& request) const;
  Result<std::shared_ptr<Topic>> topic_of(const FleetQuestion& question, const std::string& peer);
  std::shared_ptr<ViewGroup> group_of(std::shared_ptr<Topic> topic, FleetQuestion question);
  void drop_idle_groups();

  // answer.cpp: GET.
  asio::awaitable<void> answer(ServerExchange& exchange, SeatPtr seat, std::shared_ptr<ViewGroup> group, FleetQuestion question);
  asio::awaitable<void> tell_answer(ServerExchange& exchange, ViewGroup& group, std::string_view self, bool is_known_already);
  asio::awaitable<void> refuse(ServerExchange& exchange, Refusal refusal);
  asio::awaitable<void> say(ServerExchange& exchange, int status, std::string text);
  void add_fallback(HttpResponse& response);
  int spread_seconds(int least, int spread);

  // follow.cpp: streams.
  asio::awaitable<void> follow(ServerExchange& exchange, SeatPtr seat, std::shared_ptr<ViewGroup> group, std::string self, Told told);
  asio::awaitable<bool> open_stream(ServerExchange& exchange, SharedBytes first);
  const Ration& ration();

  // cluster_list.cpp: GET /v1/clusters.
  asio::awaitable<void> list_clusters(ServerExchange& exchange);
  asio::awaitable<Result<ViewGroup::Body>> make_list();

  SteadyTime now() const { return runtime_->time->now(); }
  bool is_closing() const noexcept { return closing_at_.has_value(); }

  std::shared_ptr<Fleet> fleet_;
  std::shared_ptr<Runtime::Impl> runtime_;
  FleetHttpOptions options_;
  PeerLimits peers_;
  std::size_t waiting_ = 0;
  std::optional<SteadyTime> closing_at_;
  Duration closing_spread_{0};
  Ration ration_;
  std::optional<SteadyTime> ration_at_;

  using GroupKey = std::tuple<const Topic*, View, Readiness, int, bool>;
  bool has_room_for_group(const Topic& topic);
  std::map<GroupKey, std::shared_ptr<ViewGroup>> groups_;
  SteadyTime swept_at_{};
  std::unordered_map<std::string, std::weak_ptr<Topic>> topics_;  // by the text that was asked for

  std::unordered_map<const Topic*, Summary> summaries_;
  ViewGroup::Body list_;
  std::optional<SteadyTime> list_at_;
  SingleFlight<ViewGroup::Body> list_flight_;
};

}  // namespace rollcall::fleet
