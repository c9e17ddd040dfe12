// Streams of aggregated discovery over a scripted fleet, in virtual time, with a client in memory that may read slowly, leave or lie.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fleet/http/scripted_access.hpp"
#include "fleet/xds/ads_service.hpp"
#include "fleet/xds/discovery_bytes.hpp"
#include "support/result.hpp"

namespace rollcall::testing {

/// The client's end.
class AdsClient {
 public:
  ServerRequest about;
  std::deque<std::string> requests;  // not read by the service yet
  std::vector<wire::xds::DiscoveryResponse> answers;
  std::vector<SteadyTime> at;
  std::optional<std::pair<RpcStatus, std::string>> end;
  bool is_stuck = false;     // it reads nothing: one message may be in transit
  bool is_on_its_way = false;
  bool has_left = false;
  AsyncEvent* event = nullptr;

  void wake() const {
    if (event) event->wake();
  }
  const wire::xds::DiscoveryResponse& last() const { return answers.back(); }
  /// The content of the answers of that type since `from`, each in brackets: `[10.0.0.1:8470 10.0.0.2:8470!]`, names of clusters and
  /// listeners.
  std::string received(fleet::ResourceType type, std::size_t from = 0) const {
    std::string text;
    for (std::size_t i = from; i < answers.size(); ++i) {
      if (answers[i].type_url() == type_url_of(type)) text += "[" + resources_text(answers[i], type) + "]";
    }
    return text;
  }

 private:
  static std::string resources_text(const wire::xds::DiscoveryResponse& response, fleet::ResourceType type) {
    std::string text;
    for (const std::string& resource : response.resources()) {
      if (!text.empty()) text += " | ";
      switch (type) {
        case fleet::ResourceType::endpoints: text += endpoints_text(within<wire::xds::ClusterLoadAssignment>(resource)); break;
        case fleet::ResourceType::cluster: text += within<wire::xds::Cluster>(resource).name(); break;
        case fleet::ResourceType::listener: text += within<wire::xds::Listener>(resource).name(); break;
      }
    }
    return text;
  }
};
using AdsClientPtr = std::shared_ptr<AdsClient>;

class ScriptedStream final : public RpcServerStream {
 public:
  ScriptedStream(AdsClientPtr client, std::shared_ptr<TimeSource> time) : client_(std::move(client)), time_(std::move(time)) {}
  ~ScriptedStream() override { CHECK(client_->event == nullptr); }
  const ServerRequest& request() const noexcept override { return client_->about; }
  void watch(AsyncEvent* event) noexcept override { client_->event = event; }
  std::optional<std::string> take_message() override {
    if (client_->requests.empty()) return std::nullopt;
    std::string message = std::move(client_->requests.front());
    client_->requests.pop_front();
    return message;
  }
  bool is_writable() const noexcept override { return !client_->is_on_its_way && !is_closed(); }
  void write(SharedBytes message) override {
    REQUIRE(is_writable());
    client_->answers.push_back(read_as<wire::xds::DiscoveryResponse>(message.text()));
    client_->at.push_back(time_->now());
    client_->is_on_its_way = client_->is_stuck;
    client_->wake();
  }
  bool is_closed() const noexcept override { return client_->has_left || client_->end; }
  void finish(RpcStatus status, const std::string& message) override {
    if (!client_->end) client_->end.emplace(status, message);
  }

 private:
  AdsClientPtr client_;
  std::shared_ptr<TimeSource> time_;
};

class AdsLoop : public ServiceLoop {
 public:
  explicit AdsLoop(fleet::FleetHttpOptions options = {})
      : ServiceLoop(std::move(options)), ads(std::make_shared<fleet::AdsService>(clouds, http->entry())) {}
  /// With rights.
  explicit AdsLoop(const std::shared_ptr<ScriptedAccess>& access, const FleetBounds& bounds = {})
      : AdsLoop(AccessLoop::options(access, bounds)) {}
  ~AdsLoop() {
    ads->close(Duration(0));
    pass(std::chrono::seconds(2));
  }

  static constexpr const char* name = "tpu:trainer,project=p,zone=z";
  std::shared_ptr<fleet::AdsService> ads;

  AdsClientPtr dial(const std::string& who = "", const std::string& peer = "192.0.2.1") {
    const auto client = std::make_shared<AdsClient>();
    client->about.method = "POST";
    client->about.target = fleet::ads_path;
    client->about.peer = peer;
    if (!who.empty()) client->about.headers.add("authorization", who);
    ads->take(std::make_unique<ScriptedStream>(client, time));
    poll();
    return client;
  }
  void send(const AdsClientPtr& client, std::string message) {
    client->requests.push_back(std::move(message));
    client->wake();
    poll();
  }
  void ask(const AdsClientPtr& client, fleet::ResourceType type, const std::vector<std::string>& names, const std::string& nonce = {},
           const std::string& error = {}) {
    send(client, asked(type, names, nonce, error));
  }
  /// Acknowledges the last answer.
  void take(const AdsClientPtr& client, fleet::ResourceType type, const std::vector<std::string>& names) {
    ask(client, type, names, client->last().nonce());
  }
  void read_on(const AdsClientPtr& client) {
    client->is_stuck = client->is_on_its_way = false;
    client->wake();
    poll();
  }
  std::string metrics() { return request("GET", "/metrics")->answered.body; }
};

}  // namespace rollcall::testing
