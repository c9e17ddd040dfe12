// POST /v3/discovery:endpoints: the endpoints of clusters for Envoy, which asks anew every few seconds (endpoint discovery by REST). What
// does not exist, or may not be read, is left out; Envoy keeps what it was told before.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "async/async_event.hpp"
#include "base/text.hpp"
#include "fleet/http/fleet_requests.hpp"
#include "fleet/http/own_answer.hpp"
#include "fleet/http/rules/request_rules.hpp"
#include "fleet/xds/wire/discovery.hpp"
#include "fleet/xds/wire/resources.hpp"
#include "json/json_text.hpp"

namespace rollcall::fleet {
namespace {

Refusal bad_question(std::string what) { return Refusal(400, Failure(Errc::invalid_argument, std::move(what))); }

Failure unread_body(int status) {
  if (status == 503)
    return Failure(Errc::limit_exceeded, "the questions of others take all the memory that they may").with_hint("ask again later");
  if (status == 413) return Failure(Errc::limit_exceeded, "the question is too long");
  return Failure(Errc::invalid_argument, status == 408 ? "the question did not come in time" : "the question is no body of HTTP/1.1");
}

// What was told, to name its version.
class SentEndpoints {
 public:
  /// What stands in front of it.
  std::string_view add(std::string_view text, std::uint64_t revision) {
    const std::string_view comma = is_empty_ ? "" : ",";
    for (const std::string_view part : {comma, text}) sum_ = crc32_z(sum_, reinterpret_cast<const Bytef*>(part.data()), part.size());
    is_empty_ = false;
    revision_ = std::max(revision_, revision);
    return comma;
  }
  std::string version(const std::string& instance) const { return fmt::format("{}.{:08x}", Position(instance, revision_).to_text(), sum_); }

 private:
  uLong sum_ = crc32_z(0, nullptr, 0);
  std::uint64_t revision_ = 0;
  bool is_empty_ = true;
};

}  // namespace

asio::awaitable<void> FleetRequests::handle_discovery(ServerExchange& exchange, RequestNotes& notes, ClientPtr client) {
  StreamSlotPtr slot;
  std::optional<Refusal> refusal = acquire_slot(client, slot);
  std::string body;
  if (!refusal) {
    const int fault = co_await exchange.read_body(body);
    if (fault != 0) refusal.emplace(fault, unread_body(fault));
  }
  if (refusal) {
    co_await refuse(exchange, std::move(*refusal));
    co_return;
  }
  asio::awaitable<void> answer = ask_endpoints(exchange, notes, std::move(client), std::move(slot), std::move(body));
  co_await std::move(answer);
}

// No coroutine: the question, which may be long, goes before the answer is waited for.
asio::awaitable<void> FleetRequests::ask_endpoints(ServerExchange& exchange, RequestNotes& notes, ClientPtr client, StreamSlotPtr slot,
                                                   std::string body) {
  Result<DiscoveryRequest> question = DiscoveryRequest::parse_json(body);
  if (!question) return refuse(exchange, Refusal(400, question.error()));
  if (!question->type_url.empty() && resource_type_of(question->type_url) != ResourceType::endpoints)
    return refuse(exchange, bad_question(fmt::format("{} is not told here", quoted(question->type_url, 120))));
  if (question->names.size() > max_scraped_targets)
    return refuse(exchange, bad_question(fmt::format("more than {} targets are named", max_scraped_targets)));
  NamedTopics topics;
  for (const std::string& name : question->names) {
    Result<Target> target = Target::parse(name);
    if (!target || refusal_of_target(*target, *client)) continue;
    FleetQuestion about(std::move(*target));
    Result<std::shared_ptr<Topic>> topic = topic_of(about, *client);
    if (!topic) {
      // A bound passes, and what Envoy has stays good meanwhile.
      Refusal refusal = refusal_of_topic(about.target, topic.error());
      if (refusal.status == 429) return refuse(exchange, std::move(refusal));
      continue;
    }
    // One that is named in several spellings is told in the first.
    if (std::any_of(topics.begin(), topics.end(), [&topic](const auto& one) { return one.second == *topic; })) continue;
    if (logs_requests()) notes.question += fmt::format("{}target={}", notes.question.empty() ? '?' : '&', about.target.to_text());
    topics.emplace(name, std::move(*topic));
  }
  return tell_endpoints(exchange, std::move(client), std::move(slot), std::move(question->version), std::move(topics));
}

std::optional<std::string> FleetRequests::endpoints_of(const std::string& name, const Topic& topic, const Client& client,
                                                       std::optional<Refusal>& why) {
  // As the rights are now: they may have changed while it waited.
  std::optional<Refusal> hidden_now = withdrawn(client, topic.target());
  if (hidden_now && hidden_now->status != 403) why = std::move(hidden_now);
  if (hidden_now || why) return std::nullopt;
  const Known& known = topic.known();
  const std::optional<EndpointList> endpoints = EndpointList::sent(topic.target(), known.status.get(), is_absent(known));
  if (!endpoints) return std::nullopt;
  std::string text;
  append_endpoints_json(text, name, *endpoints);
  return text;
}

// Twice where the client knows a version: it is of all that is told, and what is told is not kept.
asio::awaitable<void> FleetRequests::tell_endpoints(ServerExchange& exchange, ClientPtr client, StreamSlotPtr slot,
                                                    std::string known_version, NamedTopics topics) {
  const StreamSlotPtr taken = std::move(slot);
  std::vector<std::shared_ptr<Topic>> named;
  for (const auto& [name, topic] : topics) named.push_back(topic);
  const bool is_there = co_await wait_for_polls(exchange, std::move(named));
  if (!is_there) co_return;
  HttpResponse head;
  head.status = 200;
  head.headers.add("Content-Type", "application/json");
  head.headers.add("Cache-Control", "no-store");
  head.headers.add("X-Content-Type-Options", "nosniff");
  OwnAnswer answer(*this, exchange, *client, std::move(head));
  for (bool is_judged = known_version.empty();; is_judged = true) {
    SentEndpoints sent;
    if (is_judged) answer.text = "{\"resources\":[";
    for (const auto& [name, topic] : topics) {
      std::optional<Refusal> refusal;
      std::optional<std::string> text = endpoints_of(name, *topic, *client, refusal);
      if (refusal) {
        co_await answer.give_up(std::move(*refusal));
        co_return;
      }
      if (!text) continue;
      const std::string_view comma = sent.add(*text, topic->known().revision);
      if (is_judged) answer.text.append(comma).append(*text);
      text.reset();
      bool goes_on = true;
      if (answer.is_long()) {
        goes_on = co_await answer.send_piece();
      } else {
        co_await next_turn();
      }
      if (!goes_on) co_return;
    }
    const std::string version = sent.version(fleet_->position().instance);
    if (!is_judged && version == known_version) break;
    if (!is_judged) continue;
    answer.text += ']';
    append_json_field(answer.text, "type_url", type_url_of(ResourceType::endpoints));
    append_json_field(answer.text, "version_info", version);
    answer.text += "}\n";
    co_await answer.finish();
    co_return;
  }
  HttpResponse same;
  same.status = 304;
  same.headers.add("Cache-Control", "no-store");
  co_await exchange.reply(same);
}

}  // namespace rollcall::fleet
