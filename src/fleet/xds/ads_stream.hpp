// One stream of aggregated discovery: what its client asks for, and what it is told next. A client that reads slowly is told the latest
// only.
#pragma once

#include <boost/intrusive/list.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "async/async_event.hpp"
#include "fleet/xds/ads_service.hpp"
#include "fleet/xds/rules/subscriptions.hpp"

namespace rollcall::fleet {

class AdsStream {
 public:
  AdsStream(AdsService& service, RpcServerStream& stream);
  ~AdsStream();
  AdsStream(const AdsStream&) = delete;
  AdsStream& operator=(const AdsStream&) = delete;

  /// Until the client has gone, or may not go on. Cancellable.
  asio::awaitable<void> run();

 private:
  // A name that is asked for. What is asked for only because it was in the list of all is looked at now and then, but not followed: else
  // the list would keep alive what nobody else wants any more.
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

  /// Why it may not go on.
  std::optional<Failure> step();
  std::optional<Failure> take_messages();
  std::optional<Failure> take(const std::string& message);
  void list_others();
  void follow_names();
  void restart_if_due();
  void judge();
  void tell();
  ResourceBytes poll(ResourceType type, const std::string& name);
  void end(RpcStatus status, const std::string& message, std::string_view reason);
  void log(ServedRequest::Kind kind, std::string_view target, std::string_view reason);
  SteadyTime now() const { return service_.entry().runtime()->time->now(); }

  AdsService& service_;
  RpcServerStream& stream_;
  AsyncEvent event_;
  ClientPtr client_;
  std::unique_ptr<ServiceEntry::StreamSlot> slot_;
  Subscriptions subscriptions_;
  std::map<std::string, std::unique_ptr<Followed>> followed_;  // null: nothing is told of it
  std::map<std::string, ResourceBytes> others_;                // clusters that are asked for by no name
  std::set<std::string> other_names_;
  std::map<std::string, bool> judged_;                         // of others_of_: may it be read?
  std::shared_ptr<const std::set<std::string>> others_of_;     // what other_names_ was made of
  std::uint64_t judged_at_ = 0;
  std::string node_;
  std::uint64_t bytes_ = 0;
  SteadyTime began_;
  SteadyTime second_began_;     // within which messages are counted
  SteadyTime refusals_tried_;   // when what nothing is told of was tried last
  SteadyTime written_at_;
  std::optional<SteadyTime> ends_at_;  // since the service closes
  SteadyTime next_news_;               // when something is told that is known already
  std::string instance_;     // of the topics in followed_
  int messages_ = 0;         // within poll_pace_of
  int names_ = 0;            // that were judged, within poll_pace_of
  int names_of_turn_ = 0;
  bool is_listing_ = false;  // not all of others_of_ is judged
  bool is_naming_ = false;   // not all names that are asked for are
  bool is_ended_ = false;
};

}  // namespace rollcall::fleet
