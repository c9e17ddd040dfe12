#include "fleet/xds/rules/subscriptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rollcall::fleet {
namespace {

constexpr std::size_t large_answer = 1 << 20;

// Resources with equal bytes are equal, even if they were rendered again.
bool is_same_resource(const ResourceBytes& a, const ResourceBytes& b) { return a == b || (a && b && *a == *b); }

}  // namespace

Result<Subscriptions::Effect> Subscriptions::take(ResourceType type, const DiscoveryRequest& request) {
  OfType& state = types_.at(static_cast<std::size_t>(type));
  // A request that the client sent before it saw the first answer has no nonce; the client sends another one after that.
  const bool is_outdated = request.nonce.empty() ? !state.nonce.empty() && !state.is_answered : request.nonce != state.nonce;
  if (is_outdated) return Effect::outdated;
  const bool is_news = !state.is_answered;
  state.is_answered = !state.nonce.empty();
  std::set<std::string> wanted(request.names.begin(), request.names.end());
  const bool names_all = wanted.erase("*") > 0;
  state.has_named = state.has_named || !wanted.empty();
  const bool wants_all = type != ResourceType::endpoints && (names_all || (wanted.empty() && !state.has_named));
  const bool has_more =
      (wants_all && !state.wants_all) || !std::includes(state.names.begin(), state.names.end(), wanted.begin(), wanted.end());
  state.is_due = state.is_due || has_more || !state.is_asked;
  state.is_asked = true;
  state.wants_all = wants_all;
  state.names = std::move(wanted);
  // A name that is subscribed again counts as not sent: the client has forgotten its resource.
  if (!wants_all) std::erase_if(state.sent, [&state](const auto& one) { return !state.names.contains(one.first); });
  const std::size_t count = names().size();
  if (count > max_discovered_names) {
    return Failure(Errc::limit_exceeded, fmt::format("{} resources are asked for on one stream; {} may be", count, max_discovered_names))
        .with_hint("open another stream for the others");
  }
  return request.error && is_news ? Effect::refused : Effect::taken;
}

std::set<std::string> Subscriptions::names() const {
  std::set<std::string> all;
  for (const OfType& state : types_) all.insert(state.names.begin(), state.names.end());
  return all;
}

std::optional<Subscriptions::Answer> Subscriptions::answer(ResourceType type, const PollResult& poll, const std::set<std::string>& others) {
  OfType& state = types_.at(static_cast<std::size_t>(type));
  if (!state.is_asked) return std::nullopt;
  std::optional<Answer> made =
      type == ResourceType::endpoints ? changed_answer(type, state, poll) : whole_answer(type, state, poll, others);
  if (!made) return std::nullopt;
  made->nonce = std::to_string(++last_nonce_);
  state.nonce = made->nonce;
  state.is_answered = false;
  return made;
}

std::optional<Subscriptions::Answer> Subscriptions::whole_answer(ResourceType type, OfType& state, const PollResult& poll,
                                                                 const std::set<std::string>& others) {
  std::set<std::string> names = state.names;
  if (type == ResourceType::cluster && state.wants_all) names.insert(others.begin(), others.end());
  std::map<std::string, ResourceBytes> now;
  for (const std::string& name : names) {
    if (ResourceBytes resource = poll(type, name)) now.emplace(name, std::move(resource));
  }
  const auto is_same = [](const auto& a, const auto& b) { return a.first == b.first && is_same_resource(a.second, b.second); };
  if (!std::exchange(state.is_due, false) && std::equal(now.begin(), now.end(), state.sent.begin(), state.sent.end(), is_same))
    return std::nullopt;
  state.sent = std::move(now);
  Answer made;
  for (const auto& [name, resource] : state.sent) made.resources.push_back(resource);
  return made;
}

std::optional<Subscriptions::Answer> Subscriptions::changed_answer(ResourceType type, OfType& state, const PollResult& poll) {
  Answer made;
  std::size_t bytes = 0;
  state.is_due = false;
  for (const std::string& name : state.names) {
    ResourceBytes resource = poll(type, name);
    ResourceBytes& sent = state.sent[name];
    if (!resource || is_same_resource(resource, sent)) continue;
    if (bytes > 0 && bytes + resource->size() > large_answer) break;
    bytes += resource->size();
    sent = resource;
    made.resources.push_back(std::move(resource));
  }
  if (made.resources.empty()) return std::nullopt;
  return made;
}

}  // namespace rollcall::fleet
