// The subscriptions of one stream of endpoint discovery, and what was sent for them: decides when an answer is due and what it contains.
// State of the world: an answer with listeners or clusters lists all of them; an answer with endpoints may contain only changes.
// Pure. Source: envoyproxy.io, api-docs/xds_protocol.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/xds/wire/discovery.hpp"

namespace rollcall::fleet {

class Subscriptions {
 public:
  enum class Effect : std::uint8_t {
    outdated,  ///< it refers to an answer before the last one and is ignored
    taken,     ///< the client has taken the last answer, or sends its first request
    refused,   ///< the client rejects the last answer and keeps its former resources (NACK); reported once
  };
  /// Applies a request. Errors: limit_exceeded: more than max_discovered_names are subscribed.
  Result<Effect> take(ResourceType type, const DiscoveryRequest& request);

  /// All subscribed names, of any type.
  std::set<std::string> names() const;
  /// True if the client subscribes to all clusters, without names.
  bool wants_all_clusters() const noexcept { return of(ResourceType::cluster).wants_all; }

  /// True if only the endpoints of that name are subscribed, as for a cluster from the list of all.
  bool is_of_all_clusters(const std::string& name) const {
    return wants_all_clusters() && !of(ResourceType::cluster).names.contains(name) && !of(ResourceType::listener).names.contains(name);
  }

  /// The present resource of that name; null: does not exist, or is not known yet.
  using PollResult = std::function<ResourceBytes(ResourceType type, const std::string& name)>;
  /// The next answer, which counts as sent: its nonce and its resources. None: nothing is due. `others`: the names of all clusters, for
  /// clients that subscribe to all of them. Many bytes of endpoints are split into several answers: most clients accept 4 MiB.
  class Answer {
   public:
    Answer() {}
    std::string nonce;
    std::vector<ResourceBytes> resources;
  };
  std::optional<Answer> answer(ResourceType type, const PollResult& poll, const std::set<std::string>& others = {});

 private:
  class OfType {
   public:
    std::set<std::string> names;
    bool is_asked = false;  // ever
    bool wants_all = false;  // no name was sent yet, or `*` is among the names
    bool has_named = false;  // ever
    bool is_due = false;  // an answer is due even if nothing has changed
    bool is_answered = false;  // the client has reacted to the last answer
    std::string nonce;  // of the last answer; empty: none
    std::map<std::string, ResourceBytes> sent;
  };
  const OfType& of(ResourceType type) const noexcept { return types_.at(static_cast<std::size_t>(type)); }
  std::optional<Answer> whole_answer(ResourceType type, OfType& state, const PollResult& poll, const std::set<std::string>& others);
  std::optional<Answer> changed_answer(ResourceType type, OfType& state, const PollResult& poll);

  std::array<OfType, resource_types> types_;
  std::uint64_t last_nonce_ = 0;
};

}  // namespace rollcall::fleet
