// /v3/discovery:endpoints: the endpoints of clusters for Envoy, which asks every few seconds (endpoint discovery by REST).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "fleet/http/page.hpp"

namespace rollcall::fleet {

/// Targets that do not exist, or may not be read, are left out of the answer; Envoy keeps the endpoints of earlier answers.
class DiscoveryPage final : public Page {
 public:
  static constexpr std::size_t max_body = 192 * 1024;  ///< Envoy lists all of its extensions in each request: 77 kB

  explicit DiscoveryPage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  using NamedTopics = std::map<std::string, std::shared_ptr<Topic>>;  // by the client's names
  asio::awaitable<void> read(ServerExchange& exchange, RequestNotes& notes, ClientPtr client);
  asio::awaitable<void> find_topics(ServerExchange& exchange, RequestNotes& notes, ClientPtr client, StreamSlotPtr slot, std::string body);
  asio::awaitable<void> send(ServerExchange& exchange, ClientPtr client, StreamSlotPtr slot, std::string known_version, NamedTopics topics);
  std::optional<std::string> endpoints_of(const std::string& name, const Topic& topic, const Client& client,
                                          std::optional<Refusal>& refusal) const;

  ServiceEntry& entry_;
};

}  // namespace rollcall::fleet
