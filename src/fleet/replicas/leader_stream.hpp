// One stream from the leader, as a replica that follows reads it, and the list of wanted targets that it sends.
#pragma once

#include <asio/awaitable.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "call/access_files.hpp"
#include "call/api_client.hpp"
#include "fleet/replicas/rules/peer_clock.hpp"
#include "fleet/replicas/shared_topic.hpp"
#include "fleet/wire/event_stream.hpp"
#include "json/limits.hpp"
#include "rollcall/credentials.hpp"

namespace rollcall::fleet {

class SharedFleet;

/// How a replica asks another one: over TLS with the service's own certificate or a token, or within this machine.
class PeerLink {
 public:
  /// As ReplicaOptions. The token is read for each request.
  PeerLink(AccessFiles access, const std::string& token_file);
  /// `root`: where the other replica serves, as the lease says. Errors: invalid_argument, refused_by_policy (without TLS to another
  /// machine), and those of the files.
  Result<ApiRequest> request(Call& call, const std::string& root, std::string_view path);

 private:
  AccessReader access_;
  std::shared_ptr<Credentials> credentials_;  // null: no token is sent
};

class LeaderStream final : public BodySink {
 public:
  /// All references outlive it. `url`: of the leader.
  LeaderStream(Call& call, SharedFleet& fleet, PeerLink& link, std::string url);

  /// Until the stream ends; it has a reason then.
  asio::awaitable<Result<void>> run();

  void restart() override {}
  Result<void> take(std::string_view piece) override;

 private:
  asio::awaitable<Result<void>> read();
  asio::awaitable<Result<void>> send_wanted();
  asio::awaitable<Result<void>> put(const WantedDocument& document);
  Result<void> take_event(const ServerEvent& event, SteadyTime came_at);
  Result<void> take_hello(std::string_view json);
  Result<void> take_topic(std::string_view json, SteadyTime came_at);
  Result<void> take_part(std::string_view json);
  Result<void> take_looked(std::string_view json, SteadyTime came_at);
  Result<void> take_gone(std::string_view json);
  Result<void> take_reached(std::string_view json, std::string_view id, SteadyTime came_at);
  Result<void> apply(TopicDocument document);
  SteadyTime sent_at(Milliseconds at, SteadyTime came_at) { return came_at - clock_.delay_of(at, came_at); }

  Call& call_;
  SharedFleet& fleet_;
  PeerLink& link_;
  std::string url_;
  int schema_;  // from hello on that of the stream
  ParseLimits limits_;
  EventStreamReader reader_;
  PeerClock clock_;
  std::optional<std::uint64_t> epoch_;  // none: there was no hello
  std::map<std::uint64_t, std::shared_ptr<SharedTopic>> topics_;  // by number; null: it has no place here, until it comes as a whole
  std::optional<TopicDocument> pending_;  // some of its parts are still to come
};

}  // namespace rollcall::fleet
