// /v3/discovery:endpoints: the endpoints of clusters for Envoy, which asks every few seconds (endpoint discovery by REST).
#include <fmt/format.h>

#include <zlib.h>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "async/async_event.hpp"
#include "base/text.hpp"
#include "fleet/http/own_answer.hpp"
#include "fleet/http/pages.hpp"
#include "fleet/http/poll_wait.hpp"
#include "fleet/http/rules/scrape_targets.hpp"
#include "fleet/xds/wire/discovery.hpp"
#include "fleet/xds/wire/resources.hpp"
#include "json/json_text.hpp"

namespace rollcall::fleet {
namespace {

Refusal bad_question(std::string what) { return Refusal(400, Failure(Errc::invalid_argument, std::move(what))); }

// Computes the version of an answer: a checksum of its resources.
class SentEndpoints {
 public:
  /// Returns the separator in front of the resource.
  std::string_view add(std::string_view text, const Known& known) {
    const std::string_view comma = is_empty_ ? "" : ",";
    for (const std::string_view part : {comma, text}) sum_ = crc32_z(sum_, reinterpret_cast<const Bytef*>(part.data()), part.size());
    is_empty_ = false;
    last_ = std::max(last_, Position(known.epoch, known.revision));
    return comma;
  }
  std::string version() const { return fmt::format("{}.{:08x}", last_.to_text(), sum_); }

 private:
  uLong sum_ = crc32_z(0, nullptr, 0);
  Position last_;
  bool is_empty_ = true;
};

// Targets that do not exist, or may not be read, are left out of the answer; Envoy keeps the endpoints of earlier answers.
class DiscoveryPage final : public Page {
 public:
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

}  // namespace

// Not a coroutine: its frame would stay as long as the answer.
asio::awaitable<void> DiscoveryPage::answer(PageRequest request) {
  return read(request.exchange, request.notes, std::move(request.client));
}

asio::awaitable<void> DiscoveryPage::read(ServerExchange& exchange, RequestNotes& notes, ClientPtr client) {
  StreamSlotPtr slot;
  std::optional<Refusal> refusal = entry_.admission().acquire_slot(client, slot);
  std::string body;
  if (!refusal) {
    const int fault = co_await exchange.read_body(body);
    if (fault != 0) refusal.emplace(fault, unread_body(fault));
  }
  if (refusal) {
    co_await refuse(entry_, exchange, std::move(*refusal));
    co_return;
  }
  asio::awaitable<void> answer = find_topics(exchange, notes, std::move(client), std::move(slot), std::move(body));
  co_await std::move(answer);
}

// Not a coroutine: the question, which may be long, is destroyed before the answer waits for polls.
asio::awaitable<void> DiscoveryPage::find_topics(ServerExchange& exchange, RequestNotes& notes, ClientPtr client, StreamSlotPtr slot,
                                                 std::string body) {
  Result<DiscoveryRequest> question = DiscoveryRequest::parse_json(body);
  if (!question) return refuse(entry_, exchange, bad_question(question.error().what()));
  if (!question->type_url.empty() && resource_type_of(question->type_url) != ResourceType::endpoints)
    return refuse(entry_, exchange, bad_question(fmt::format("{} is not served here", quoted(question->type_url, 120))));
  if (question->names.size() > max_scraped_targets)
    return refuse(entry_, exchange, bad_question(fmt::format("more than {} targets are named", max_scraped_targets)));
  NamedTopics topics;
  for (const std::string& name : question->names) {
    const Result<Target> target = Target::parse(name);
    if (!target || entry_.topics().refusal_of(*target, *client)) continue;
    Result<std::shared_ptr<Topic>> topic = entry_.topics().find(*target, *client);
    if (!topic) {
      // A limit is temporary: the whole answer is refused, and Envoy keeps its endpoints.
      Refusal refusal = TopicLookup::refusal_of_failure(*target, topic.error());
      if (refusal.status == 429) return refuse(entry_, exchange, std::move(refusal));
      continue;
    }
    // A target that has several names in the question is answered by its first name.
    if (std::any_of(topics.begin(), topics.end(), [&topic](const auto& one) { return one.second == *topic; })) continue;
    if (entry_.logs_requests()) notes.question += fmt::format("{}target={}", notes.question.empty() ? '?' : '&', target->to_text());
    topics.emplace(name, std::move(*topic));
  }
  return send(exchange, std::move(client), std::move(slot), std::move(question->version), std::move(topics));
}

// The resource of a topic; absent: it is left out of the answer. `refusal` is set if the whole answer may not be sent any longer.
std::optional<std::string> DiscoveryPage::endpoints_of(const std::string& name, const Topic& topic, const Client& client,
                                                       std::optional<Refusal>& refusal) const {
  // By the present rights: they may have changed while the answer waited.
  std::optional<Refusal> withdrawn = entry_.admission().withdrawn(client, topic.target());
  if (withdrawn && withdrawn->status != 403) refusal = std::move(withdrawn);
  if (withdrawn || refusal) return std::nullopt;
  const Known& known = topic.known();
  const std::optional<EndpointList> endpoints = EndpointList::sent(topic.target(), known.status.get(), is_absent(known));
  if (!endpoints) return std::nullopt;
  std::string text;
  append_endpoints_json(text, name, *endpoints);
  return text;
}

// If the client knows a version, the resources are rendered twice: first for the version alone. They are not kept in between.
asio::awaitable<void> DiscoveryPage::send(ServerExchange& exchange, ClientPtr client, StreamSlotPtr slot, std::string known_version,
                                          NamedTopics topics) {
  const StreamSlotPtr taken = std::move(slot);
  std::vector<std::shared_ptr<Topic>> named;
  for (const auto& [name, topic] : topics) named.push_back(topic);
  const bool is_there = co_await wait_for_polls(entry_, exchange, std::move(named));
  if (!is_there) co_return;
  HttpResponse head;
  head.status = 200;
  head.headers.add("Content-Type", "application/json");
  head.headers.add("Cache-Control", "no-store");
  head.headers.add("X-Content-Type-Options", "nosniff");
  OwnAnswer answer(entry_, exchange, *client, std::move(head));
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
      const std::string_view comma = sent.add(*text, topic->known());
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
    const std::string version = sent.version();
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

std::unique_ptr<Page> make_discovery_page(ServiceEntry& entry) { return std::make_unique<DiscoveryPage>(entry); }

}  // namespace rollcall::fleet
