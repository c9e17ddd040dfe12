// What one client of endpoint discovery has asked for on its stream, and what it has been told: when an answer is due, and what is in it.
// State of the world: what lacks in an answer about listeners or clusters is gone; of endpoints an answer may hold only what has changed.
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
    outdated,  ///< it answers to something that was told before the last: nothing of it counts
    taken,     ///< the client has what it was told, or asks for the first time
    refused,   ///< the client does not take what it was told, and keeps what it had (NACK); said for the first time
  };
  /// What a request says. Errors: limit_exceeded: more than max_discovered_names are asked for by then.
  Result<Effect> take(ResourceType type, const DiscoveryRequest& request);

  /// Everything that is asked for by name, of any type.
  std::set<std::string> names() const;
  /// All clusters there are are asked for, whatever they are called.
  bool wants_all_clusters() const noexcept { return of(ResourceType::cluster).wants_all; }

  /// The endpoints of that name are asked for, and nothing else by it, as of a cluster among all of them.
  bool is_of_all_clusters(const std::string& name) const {
    return wants_all_clusters() && !of(ResourceType::cluster).names.contains(name) && !of(ResourceType::listener).names.contains(name);
  }

  /// The resource of that name as it is now; null: there is none, or it is not known yet.
  using PollResult = std::function<ResourceBytes(ResourceType type, const std::string& name)>;
  /// The next answer, which counts as told: its nonce, and what is in it. None: nothing is due. `others`: the names of all clusters there
  /// are, of those who ask for all of them. Endpoints come in several answers where they are many bytes: most clients take 4 MiB.
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
    bool wants_all = false;  // before any name, or `*` among them
    bool has_named = false;  // ever
    bool is_due = false;  // an answer, whether anything has changed or not
    bool is_answered = false;  // the client has said something to the last answer
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
