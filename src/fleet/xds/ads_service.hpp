// Aggregated discovery (ADS) of xDS: streams of gRPC clients and of Envoy, which are told of the fleet's clusters as they change. What a
// stream is told is judged as HTTP's requests are.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "fleet/fleet.hpp"
#include "fleet/http/service_entry.hpp"
#include "fleet/xds/wire/discovery.hpp"
#include "fleet/xds/wire/resources.hpp"
#include "net/server/rpc_server_stream.hpp"

namespace rollcall::fleet {

/// The method whose calls take() is for.
inline constexpr const char* ads_path = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";

/// The endpoints of a target, whatever it is called by those who ask. Of a cluster that changes all the time they are made anew after a
/// pause only, which is the longer the more they are.
class TopicEndpoints {
 public:
  explicit TopicEndpoints(std::shared_ptr<Topic> topic) : topic_(std::move(topic)) {}
  Topic& topic() const noexcept { return *topic_; }
  /// Null: nothing is told of it. The same object until it has changed.
  const std::shared_ptr<const EndpointList>& get(SteadyTime now);
  /// When get() has something new; absent: it has it already.
  std::optional<SteadyTime> next() const;

 private:
  std::shared_ptr<Topic> topic_;
  std::shared_ptr<const EndpointList> list_;
  std::optional<std::uint64_t> made_of_;  // the revision
  SteadyTime next_ = SteadyTime::min();
};

/// What is told under a name: made once a change, for all streams.
class NamedResources {
 public:
  NamedResources(std::string name, std::shared_ptr<TopicEndpoints> endpoints) : name_(std::move(name)), of_(std::move(endpoints)) {}
  Topic& topic() const noexcept { return of_->topic(); }
  /// Null: it is not there, or not known yet. What says the same is the same object.
  ResourceBytes get(ResourceType type, SteadyTime now);
  /// When get() says something new of the endpoints that it has told, even if nothing changes till then; absent: it does not.
  std::optional<SteadyTime> next() const { return of_->next(); }

 private:
  std::string name_;
  std::shared_ptr<TopicEndpoints> of_;
  std::shared_ptr<const EndpointList> made_of_;
  ResourceBytes endpoints_;
  ResourceBytes cluster_;
  ResourceBytes listener_;
};

/// All calls on the fleet's executor.
class AdsService : public std::enable_shared_from_this<AdsService> {
 public:
  AdsService(std::shared_ptr<Fleet> fleet, std::shared_ptr<ServiceEntry> entry) : fleet_(std::move(fleet)), entry_(std::move(entry)) {}
  /// Serves the stream until it ends.
  void take(std::unique_ptr<RpcServerStream> stream);
  /// Streams end, each at a random moment within `spread`; clients go to another server, or come back.
  void close(Duration spread);

  // For streams.
  ServiceEntry& entry() const noexcept { return *entry_; }
  /// Errors: as TopicLookup::find_allowed(), and for a name that is no target; limit_exceeded: the target has too many names already.
  Result<std::shared_ptr<NamedResources>> named(const std::string& name, const Client& client);
  /// All targets that are followed, whoever may read them; another object once they are others, which is noticed within a second.
  std::shared_ptr<const std::set<std::string>> followed_targets();
  std::string version() const { return fleet_->position().to_text(); }
  /// Of the history that is told: in another one there are other topics.
  std::string instance() const { return fleet_->position().instance; }
  /// When a stream ends, that asks once. Absent: it goes on.
  std::optional<SteadyTime> end_of_stream();
  bool is_closing() const noexcept { return closing_spread_.has_value(); }

 private:
  asio::awaitable<void> serve(std::unique_ptr<RpcServerStream> stream);

  std::shared_ptr<Fleet> fleet_;
  std::shared_ptr<ServiceEntry> entry_;
  std::map<std::string, std::weak_ptr<NamedResources>> named_;
  std::map<std::string, std::weak_ptr<TopicEndpoints>> endpoints_;  // by target
  std::shared_ptr<const std::set<std::string>> followed_targets_;
  SteadyTime targets_read_ = SteadyTime::min();
  std::size_t swept_names_ = 64;
  std::size_t swept_targets_ = 64;
  std::optional<Duration> closing_spread_;
};

}  // namespace rollcall::fleet
