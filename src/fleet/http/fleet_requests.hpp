// What the handlers of one service share: its groups, its bounds, and how each kind of question is answered.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "call/runtime_impl.hpp"
#include "fleet/fleet.hpp"
#include "fleet/http/client.hpp"
#include "fleet/http/cluster_summaries.hpp"
#include "fleet/http/fleet_handler.hpp"
#include "fleet/http/rules/peer_limits.hpp"
#include "fleet/http/rules/scrape_targets.hpp"
#include "fleet/http/service_entry.hpp"
#include "fleet/http/service_numbers.hpp"
#include "fleet/http/view_group.hpp"
#include "net/server/http_server.hpp"
#include "net/server/rules/fair_shares.hpp"

namespace rollcall::fleet {

class ListReader;

/// An answer that is no success: the status, and what its body says.
class Refusal {
 public:
  Refusal(int with_status, Failure why) : status(with_status), failure(std::move(why)) {}
  int status;
  Failure failure;
  std::string target;
};

/// What is counted and logged of a request once it has been answered. The views are of literals.
class RequestNotes {
 public:
  explicit RequestNotes(SteadyTime at) : began(at) {}
  SteadyTime began;
  std::string_view place = "other";  ///< which kind of question
  std::string_view ended;            ///< of a stream: why; empty: it is none, or goes on
  // Empty unless requests are logged.
  std::string question;  ///< as far as it was understood: nothing else of a request is repeated anywhere
  std::string target;
  ClientPtr client;  ///< null: nobody was asked who it is, or it could not be told
};

/// True where what is known is older than an answer, or a verdict, should be.
bool is_old_poll(const std::optional<SteadyTime>& polled_at, SteadyTime now) noexcept;

/// How long a body may be that the handler reads; 0: it needs none.
std::size_t max_body_of(const ServerRequest& head);

/// Topics by the names that a client has for them.
using NamedTopics = std::map<std::string, std::shared_ptr<Topic>>;

class FleetRequests final : public ServiceEntry, public std::enable_shared_from_this<FleetRequests> {
 public:
  FleetRequests(std::shared_ptr<Fleet> fleet, FleetHttpOptions options);

  /// Answers, counts and logs. `exchange` lives as long as the await.
  asio::awaitable<void> serve(ServerExchange& exchange);
  void watch_loop();
  void change(const FleetBounds& bounds);
  void be_for_this_machine(bool alone) noexcept { options_.is_for_this_machine = alone; }
  /// Streams end as those whose proof is over: what proved who listens may prove nothing any more.
  void require_reauthentication();
  void close(Duration spread);
  std::size_t followers() const noexcept { return waiting_; }

  // service_entry.cpp: as ServiceEntry has it.
  asio::awaitable<Result<ClientPtr>> authenticate(const ServerRequest& request) override;
  Result<std::unique_ptr<ServiceEntry::StreamSlot>> slot(const ClientPtr& client) override;
  Result<std::shared_ptr<Topic>> topic_for(const Target& target, const Client& client) override;
  Result<void> judge(const Client& client, const std::string& target) const override;
  std::uint64_t judgement_version() const noexcept override { return rights_version() + proofs_; }
  bool is_proof_over(const Client& client) const override { return is_over(client); }
  bool is_closing() const noexcept override { return closing_at_.has_value(); }
  ServiceNumbers& numbers() noexcept override { return numbers_; }
  void log(const ServedRequest& event) override;
  const std::shared_ptr<Runtime::Impl>& runtime() const noexcept override { return runtime_; }

 private:
  // A place among those that wait, until it is destroyed. What waits outlives the server where the loop ends first.
  class StreamSlot final : public ServiceEntry::StreamSlot {
   public:
    StreamSlot(std::shared_ptr<FleetRequests> service, ClientPtr client);
    ~StreamSlot() override;
    StreamSlot(const StreamSlot&) = delete;
    StreamSlot& operator=(const StreamSlot&) = delete;

   private:
    std::shared_ptr<FleetRequests> service_;
    ClientPtr client_;
  };
  using StreamSlotPtr = std::unique_ptr<StreamSlot>;

  // fleet_requests.cpp: what is asked, and whether it may be.
  asio::awaitable<void> handle(ServerExchange& exchange, RequestNotes& notes);
  asio::awaitable<void> handle_client(ServerExchange& exchange, RequestNotes& notes);
  asio::awaitable<void> dispatch(ServerExchange& exchange, RequestNotes& notes, ClientPtr client);
  asio::awaitable<void> handle_cluster(ServerExchange& exchange, RequestNotes& notes, ClientPtr client, std::string_view question);
  std::optional<Refusal> refusal_of(const ServerRequest& request) const;
  /// Why there is no place for one more who waits; else it is in `seat`.
  std::optional<Refusal> acquire_slot(const ClientPtr& client, StreamSlotPtr& slot);
  std::optional<Refusal> refusal_of_target(const Target& target, const Client& client) const;
  static Refusal refusal_of_topic(const Target& target, const Failure& why);
  Result<std::shared_ptr<Topic>> topic_of(const FleetQuestion& question, const Client& client);

  // groups.cpp: who asks the same gets the same answer.
  std::shared_ptr<ViewGroup> group_of(std::shared_ptr<Topic> topic, FleetQuestion question, const Client& client);
  void drop_idle_groups();

  // admission.cpp: who asks, and whether it may.
  /// Null: it may not, and has been told so.
  asio::awaitable<ClientPtr> admit(ServerExchange& exchange);
  /// Who asks; `refusal`: why it may not. `request` lives as long as the await.
  asio::awaitable<ClientPtr> identify(const ServerRequest& request, std::optional<Refusal>& refusal);
  std::optional<SteadyTime> end_of_proof(const Identity& identity) const;
  bool may_see(const Client& client, const Target& target) const;
  /// Sources, whose names and troubles tell of targets, are for those who may read the metrics.
  bool may_see_sources(const Client& client) const;
  /// What proves who it is has ended.
  bool is_over(const Client& client) const {
    const bool is_withdrawn = client.identity.proof && client.identity.proof->is_over;
    return is_withdrawn || client.proofs != proofs_ || (client.until && now() >= *client.until);
  }
  Refusal hidden(const Client& client, const std::string& target) const;
  /// Why one that was let in has to show again who it is.
  std::optional<Refusal> no_longer_proven(const Client& client) const;
  /// The same, or why it may not hear of it any more.
  std::optional<Refusal> withdrawn(const Client& client, const std::string& target) const;
  /// The last event of a stream that may not go on. `judged_at`: the rights_version() that it was judged by.
  std::optional<GroupEvent> parting(const ViewGroup& group, const SentState& sent, const Client& client, std::uint64_t& judged_at) const;
  std::uint64_t rights_version() const noexcept { return options_.access ? options_.access->version() : 0; }

  // answer.cpp: GET.
  asio::awaitable<void> answer(ServerExchange& exchange, ClientPtr client, StreamSlotPtr slot, std::shared_ptr<ViewGroup> group,
                               FleetQuestion question);
  asio::awaitable<void> tell_answer(ServerExchange& exchange, ViewGroup& group, std::string_view self, bool is_known_already);
  asio::awaitable<void> refuse(ServerExchange& exchange, Refusal refusal);
  /// Packed where the client takes it.
  static asio::awaitable<void> reply_body(ServerExchange& exchange, HttpResponse head, Body body);
  /// The bytes that the client takes, and what the head says of them.
  static SharedBytes chosen_bytes(const ServerRequest& request, HttpResponse& head, Body body);
  asio::awaitable<void> say(ServerExchange& exchange, int status, std::string text);
  void add_fallback(HttpResponse& response);
  int spread_seconds(int min, int spread);

  // own_answer.cpp: what is made for one client alone.
  class OwnAnswer;
  asio::awaitable<void> reply_own(ServerExchange& exchange, const Client& client, HttpResponse head, std::string text);
  asio::awaitable<void> reply_own_body(ServerExchange& exchange, const Client& client, HttpResponse head, Body body);
  static bool is_bodiless(const ServerExchange& exchange) noexcept;
  static asio::awaitable<void> reply_bodiless(ServerExchange& exchange, HttpResponse head);

  // follow.cpp: streams.
  asio::awaitable<void> follow(ServerExchange& exchange, RequestNotes& notes, ClientPtr client, StreamSlotPtr slot,
                               std::shared_ptr<ViewGroup> group, std::string self);
  asio::awaitable<bool> has_caught_up(ServerExchange& exchange);
  asio::awaitable<bool> open_stream(ServerExchange& exchange, SharedBytes first);
  const FallbackSchedule& fallback_schedule();

  // cluster_list.cpp: GET /v1/clusters.
  asio::awaitable<void> list_clusters(ServerExchange& exchange, ClientPtr client);
  using TellLine = std::function<void(const ClusterSummaries::Line&)>;
  /// Tells of each line that the asker may see, in turns; the caller holds both.
  asio::awaitable<void> tell_lines(const Client& client, const TellLine& tell);
  /// None: there is no room for it.
  asio::awaitable<std::optional<Body>> list_for(ClientPtr client);
  /// Who knows the list as of an earlier version may know it by other rights.
  std::uint64_t list_rights_since();
  /// By whose numbers the list's streams tell lines and positions: one for all streams of an identity.
  std::shared_ptr<ListReader> list_reader(const std::string& identity);
  asio::awaitable<void> follow_list(ServerExchange& exchange, ClientPtr client);
  StreamSlotPtr list_slot(const ClientPtr& client, std::optional<Refusal>& refusal);

  // page.cpp: what browsers are shown.
  asio::awaitable<void> open_page(ServerExchange& exchange, RequestNotes& notes);
  /// `asker` null: the page without lines.
  asio::awaitable<void> show_page(ServerExchange& exchange, ClientPtr client);
  asio::awaitable<void> show_page_file(ServerExchange& exchange, std::string_view name);
  asio::awaitable<void> list_sources(ServerExchange& exchange, const Client& client);
  asio::awaitable<void> tell_topology(ServerExchange& exchange, std::string_view type);

  // scrape_answer.cpp: GET /v1/prometheus.
  asio::awaitable<void> handle_scrape(ServerExchange& exchange, RequestNotes& notes, ClientPtr client, std::string_view query);
  asio::awaitable<void> tell_scrape_targets(ServerExchange& exchange, ClientPtr client, StreamSlotPtr slot,
                                            std::vector<std::shared_ptr<Topic>> topics, std::optional<std::uint16_t> port, bool are_named);
  std::optional<Refusal> refusal_of_scrape(const Topic& topic, const Client& client, bool is_named) const;
  /// Follows these topics and waits until each has been looked at lately, though not for long. False: the client has gone.
  asio::awaitable<bool> wait_for_polls(ServerExchange& exchange, std::vector<std::shared_ptr<Topic>> topics);

  // discovery_answer.cpp: POST /v3/discovery:endpoints.
  asio::awaitable<void> handle_discovery(ServerExchange& exchange, RequestNotes& notes, ClientPtr client);
  asio::awaitable<void> ask_endpoints(ServerExchange& exchange, RequestNotes& notes, ClientPtr client, StreamSlotPtr slot,
                                      std::string body);
  /// Absent: nothing is told of it. `why`: the whole answer may not be given any more.
  std::optional<std::string> endpoints_of(const std::string& name, const Topic& topic, const Client& client, std::optional<Refusal>& why);
  asio::awaitable<void> tell_endpoints(ServerExchange& exchange, ClientPtr client, StreamSlotPtr slot, std::string known_version,
                                       NamedTopics topics);

  // observed.cpp: numbers and log.
  void finish(const ServerExchange& exchange, const RequestNotes& notes);
  void log(ServedRequest::Kind kind, const ServerExchange& exchange, const RequestNotes& notes);
  bool logs_requests() const noexcept { return options_.watchers.requests != nullptr; }
  asio::awaitable<void> tell_metrics(ServerExchange& exchange, ClientPtr client);
  void count_identification(const ServerRequest& request, const Result<Identity>& identity);
  asio::awaitable<void> tell_readiness(ServerExchange& exchange);
  void on_second() noexcept;

  SteadyTime now() const { return runtime_->time->now(); }

  std::shared_ptr<Fleet> fleet_;
  std::shared_ptr<Runtime::Impl> runtime_;
  FleetHttpOptions options_;
  PeerLimits peers_;
  std::size_t waiting_ = 0;
  std::uint64_t proofs_ = 0;
  std::optional<SteadyTime> closing_at_;
  Duration closing_spread_{0};
  FallbackSchedule fallback_schedule_;
  std::optional<SteadyTime> fallback_schedule_at_;
  ServiceNumbers numbers_;
  Timer second_;  // of watch_loop()
  SteadyTime second_at_{};

  using GroupKey = std::tuple<const Topic*, View, Readiness, int, bool>;
  bool has_room_for_group(const Topic& topic, const std::string& client) const;
  std::map<GroupKey, std::shared_ptr<ViewGroup>> groups_;
  SteadyTime swept_at_{};
  std::unordered_map<std::string, std::weak_ptr<Topic>> topics_;  // by the text that was asked for
  std::string topics_of_;                                            // instance that they are of

  class ListStream;
  std::shared_ptr<ClusterSummaries> summaries_;
  std::map<std::string, std::pair<std::uint64_t, Body>> lists_;  // by identity; with the rights_version() that they are of
  std::uint64_t lists_of_ = 0;                                   // ClusterSummaries::rounds()
  std::size_t list_bytes_ = 0;                                   // of the last one that was made
  FairShares list_places_{64};  // of streams: each is told anew what has changed
  std::shared_ptr<FairShares> own_bytes_ = std::make_shared<FairShares>(64 * 1024 * 1024);  // of OwnBytes
  std::uint64_t list_rights_ = 0;  // rights_version()
  std::uint64_t list_rights_since_ = 0;
  std::map<std::string, std::shared_ptr<ListReader>> list_readers_;  // by identity
  std::map<std::string, Body, std::less<>> files_;  // of the page
};

}  // namespace rollcall::fleet
