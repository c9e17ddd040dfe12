// POST /v3/discovery:endpoints: the endpoints of clusters for Envoy, which asks anew every few seconds (endpoint discovery by REST). What
// does not exist, or may not be read, is left out; Envoy keeps what it was told before.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "async/async_event.hpp"
#include "base/text.hpp"
#include "fleet/http/fleet_requests.hpp"
#include "fleet/http/rules/request_rules.hpp"
#include "fleet/xds/wire/discovery.hpp"
#include "fleet/xds/wire/resources.hpp"
#include "json/json_text.hpp"

namespace rollcall::fleet {
namespace {

Refusal bad_question(std::string what) { return Refusal(400, Failure(Errc::invalid_argument, std::move(what))); }

}  // namespace

asio::awaitable<void> FleetRequests::handle_discovery(ServerExchange& exchange, RequestNotes& notes, AskerPtr asker) {
  const ServerRequest& request = exchange.request();
  Result<DiscoveryRequest> question = DiscoveryRequest::parse_json(request.body);
  if (!question) return refuse(exchange, Refusal(400, question.error()));
  if (!question->type_url.empty() && resource_type_of(question->type_url) != ResourceType::endpoints)
    return refuse(exchange, bad_question(fmt::format("{} is not told here", quoted(question->type_url, 120))));
  if (question->names.size() > most_scraped_targets)
    return refuse(exchange, bad_question(fmt::format("more than {} targets are named", most_scraped_targets)));
  SeatPtr seat;
  if (std::optional<Refusal> refusal = take_seat(asker, seat)) return refuse(exchange, std::move(*refusal));
  NamedTopics topics;
  for (const std::string& name : question->names) {
    Result<Target> target = Target::parse(name);
    if (!target || refusal_of_target(*target, *asker)) continue;
    FleetQuestion about(std::move(*target));
    if (logs_requests()) notes.question += fmt::format("{}target={}", notes.question.empty() ? '?' : '&', about.target.to_text());
    Result<std::shared_ptr<Topic>> topic = topic_of(about, *asker);
    if (!topic) {
      // A bound passes, and what Envoy has stays good meanwhile.
      Refusal refusal = refusal_of_topic(about.target, topic.error());
      if (refusal.status == 429) return refuse(exchange, std::move(refusal));
      continue;
    }
    topics.emplace(name, std::move(*topic));
  }
  return tell_endpoints(exchange, std::move(asker), std::move(seat), std::move(question->version), std::move(topics));
}

asio::awaitable<void> FleetRequests::tell_endpoints(ServerExchange& exchange, AskerPtr asker, SeatPtr seat, std::string known_version,
                                                    NamedTopics topics) {
  const SeatPtr taken = std::move(seat);
  std::vector<std::shared_ptr<Topic>> named;
  for (const auto& [name, topic] : topics) named.push_back(topic);
  const bool is_there = co_await wait_for_looks(exchange, std::move(named));
  if (!is_there) co_return;
  std::string list;
  std::uint64_t revision = 0;
  for (const auto& [name, topic] : topics) {
    // As the rights are now: they may have changed while it waited.
    const std::optional<Refusal> hidden_now = withdrawn(*asker, topic->target());
    if (hidden_now && hidden_now->status != 403) {
      Refusal refusal = *hidden_now;
      co_await refuse(exchange, std::move(refusal));
      co_return;
    }
    if (hidden_now) continue;
    const Known known = topic->known();
    const std::optional<EndpointList> endpoints = EndpointList::told(topic->target(), known.status.get(), is_absent(known));
    if (!endpoints) continue;
    revision = std::max(revision, known.revision);
    if (!list.empty()) list += ',';
    append_endpoints_json(list, name, *endpoints);
    co_await next_turn();
  }
  const uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(list.data()), list.size());
  const std::string version = fmt::format("{}.{:08x}", Position(fleet_->position().instance, revision).to_text(), sum);
  HttpResponse head;
  head.status = known_version == version ? 304 : 200;
  head.headers.add("Cache-Control", "no-store");
  if (head.status == 304) {
    co_await exchange.reply(head);
    co_return;
  }
  head.headers.add("Content-Type", "application/json");
  head.headers.add("X-Content-Type-Options", "nosniff");
  std::string text = "{";
  append_json_field(text, "version_info", version);
  append_json_field(text, "type_url", type_url_of(ResourceType::endpoints));
  text += ",\"resources\":[" + list + "]}\n";
  const Body body = co_await pack(std::move(text));
  co_await reply_body(exchange, std::move(head), body);
}

}  // namespace rollcall::fleet
