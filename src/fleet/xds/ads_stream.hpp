// One stream of aggregated discovery: the client's subscriptions and the answers to them. A client that reads slowly gets the latest state
// only.
#pragma once

#include <boost/intrusive/list.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "async/async_event.hpp"
#include "fleet/entry/rights_watch.hpp"
#include "fleet/xds/ads_service.hpp"
#include "fleet/xds/rules/subscriptions.hpp"

namespace rollcall::fleet {

class AdsStream {
 public:
  AdsStream(AdsService& service, RpcServerStream& stream);
  ~AdsStream();
  AdsStream(const AdsStream&) = delete;
  AdsStream& operator=(const AdsStream&) = delete;

  /// Runs until the client has left, or may not go on. Cancellable.
  asio::awaitable<void> run();

 private:
  // A subscribed name. A name that the client only knows from the list of all clusters is checked periodically but not followed: otherwise
  // the list would keep every target alive.
  class Followed final : public TopicListener {
   public:
    Followed(std::shared_ptr<NamedResources> of, AsyncEvent& event, bool is_of_list) : resources(std::move(of)), event_(event) {
      if (!is_of_list) resources->topic().listen(*this);
    }
    ~Followed() override { unlink(); }
    void on_topic() noexcept override { event_.wake(); }
    std::shared_ptr<NamedResources> resources;

   private:
    AsyncEvent& event_;
  };

  /// The failure that ends the stream; none: it goes on.
  std::optional<Failure> step();
  std::optional<Failure> take_messages();
  std::optional<Failure> take(const std::string& message);
  void list_others();
  void follow_names();
  void judge();
  void send_answers();
  ResourceBytes poll(ResourceType type, const std::string& name);
  void end(RpcStatus status, const std::string& message, std::string_view reason);
  void log(ServedRequest::Kind kind, std::string_view target, std::string_view reason);
  SteadyTime now() const { return service_.entry().runtime()->time->now(); }

  AdsService& service_;
  RpcServerStream& stream_;
  AsyncEvent event_;
  ClientPtr client_;
  StreamSlotPtr slot_;
  Subscriptions subscriptions_;
  std::map<std::string, std::unique_ptr<Followed>> followed_;  // null: refused
  std::map<std::string, ResourceBytes> others_;  // clusters without a subscription by name
  std::set<std::string> other_names_;
  std::map<std::string, bool> judged_;  // of others_of_: whether the client may read it
  std::shared_ptr<const std::set<std::string>> others_of_;  // the targets that other_names_ was computed from
  RightsWatch rights_;  // by which followed_ and judged_ were judged
  std::string node_;
  std::uint64_t bytes_ = 0;
  SteadyTime began_;
  SteadyTime second_began_;  // of the second in which messages are counted
  SteadyTime refusals_tried_;  // when refused names were tried last
  SteadyTime written_at_;
  std::optional<SteadyTime> ends_at_;  // set while the service closes
  SteadyTime next_news_;  // when known changes may be sent
  int messages_ = 0;  // within poll_pace_of
  int names_ = 0;  // judged within poll_pace_of
  int names_of_turn_ = 0;
  bool is_listing_ = false;  // others_of_ is not completely judged
  bool is_naming_ = false;  // the subscribed names are not completely judged
  bool is_ended_ = false;
};

}  // namespace rollcall::fleet
