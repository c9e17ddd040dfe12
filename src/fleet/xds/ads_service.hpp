// Aggregated discovery (ADS) of xDS: streams of gRPC clients and Envoy that receive the fleet's clusters as they change. Clients are
// authenticated and authorized as those of HTTP.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "fleet/entry/service_entry.hpp"
#include "fleet/fleet.hpp"
#include "fleet/xds/wire/discovery.hpp"
#include "fleet/xds/wire/resources.hpp"
#include "net/server/rpc_server_stream.hpp"

namespace rollcall::fleet {

/// The gRPC method whose calls take() serves.
inline constexpr const char* ads_path = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";

/// The endpoints of a target, whose name a client may spell in several ways. After a change they are rendered again only after a pause that
/// grows with their number.
class TopicEndpoints {
 public:
  explicit TopicEndpoints(std::shared_ptr<Topic> topic) : topic_(std::move(topic)) {}
  Topic& topic() const noexcept { return *topic_; }
  /// Null: the target is not known. Returns the same object until the endpoints change.
  const std::shared_ptr<const EndpointList>& get(SteadyTime now);
  /// When get() has newer endpoints; absent: the last result is the latest.
  std::optional<SteadyTime> next() const;

 private:
  std::shared_ptr<Topic> topic_;
  std::shared_ptr<const EndpointList> list_;
  std::optional<Position> made_of_;  // of list_
  SteadyTime next_ = SteadyTime::min();
};

/// The resources of one name: rendered once a change, for all streams.
class NamedResources {
 public:
  NamedResources(std::string name, std::shared_ptr<TopicEndpoints> endpoints) : name_(std::move(name)), of_(std::move(endpoints)) {}
  Topic& topic() const noexcept { return of_->topic(); }
  /// Null: does not exist, or is not known yet. Returns the same object until the resource changes.
  ResourceBytes get(ResourceType type, SteadyTime now);
  /// When get() has newer endpoints even if the topic does not change until then; absent: never.
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
  /// Streams end, each at a random moment within `spread`; their clients reconnect to this or another server.
  void close(Duration spread);

  // For streams.
  ServiceEntry& entry() const noexcept { return *entry_; }
  /// Errors: as TopicLookup::find_allowed(); malformed names; limit_exceeded: the target has too many names already.
  Result<std::shared_ptr<NamedResources>> named(const std::string& name, const Client& client);
  /// All followed targets, without regard to rights. Another object after a change, which is noticed within a second.
  std::shared_ptr<const std::set<std::string>> followed_targets();
  std::string version() const { return fleet_->position().to_text(); }
  /// Of the fleet's history: another history has other topics.
  /// When the stream that calls this has to end; absent: the service is not closing.
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
