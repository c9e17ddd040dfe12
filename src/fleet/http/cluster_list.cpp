// GET /v1/clusters: all that are followed, in a line each. Only what the asker may read.
#include <fmt/format.h>

#include <iterator>

#include "async/turns.hpp"
#include "fleet/http/fleet_requests.hpp"
#include "fleet/http/own_answer.hpp"
#include "fleet/http/rules/request_rules.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_lists = 16;  // for askers of different rights, each as large as all lines

}  // namespace

// Each line is judged by the asker's rights, which takes microseconds. Between two turns lines may come, change and go.
asio::awaitable<void> FleetRequests::tell_lines(const Client& client, const TellLine& tell) {
  const std::map<std::string, ClusterSummaries::Line>& lines = summaries_->lines();
  std::size_t steps = 0;
  for (auto one = lines.begin(); one != lines.end();) {
    const ClusterSummaries::Line& line = one->second;
    const bool is_made = !line.head.empty();
    if (is_made && may_see(client, line.target)) tell(line);
    if (++steps % steps_a_turn != 0) {
      ++one;
      continue;
    }
    const std::string last = one->first;
    co_await next_turn();
    one = lines.upper_bound(last);
  }
}

// What the asker may read. Who has the same name has the same rights, and the same bytes.
asio::awaitable<std::optional<Body>> FleetRequests::list_for(ClientPtr client) {
  for (;;) {
    const std::uint64_t lines = summaries_->rounds();
    const std::uint64_t rights = rights_version();
    if (std::exchange(lists_of_, lines) != lines) lists_.clear();
    const auto known = lists_.find(client->identity.text);
    if (known != lists_.end() && known->second.first == rights) co_return known->second.second;
    const SteadyTime present = now();
    OwnBytes room(own_bytes_, client->client);
    if (!room.hold(2 * list_bytes_)) co_return std::nullopt;  // about as much as the last one took
    std::string text = "{\"clusters\":[";
    const TellLine tell = [&text, present](const ClusterSummaries::Line& line) {
      if (text.back() == '}') text += ',';
      fmt::format_to(std::back_inserter(text), "{},\"age_ms\":{}}}", line.head, age_text(line.polled_at, present));
    };
    co_await tell_lines(*client, tell);
    text += "]}";
    list_bytes_ = text.size();
    Body body = co_await pack(std::move(text));
    if (rights != rights_version()) continue;  // some of it is by the rights before
    if (lines == summaries_->rounds() && lists_.size() < max_lists) lists_[client->identity.text] = {rights, body};
    co_return body;
  }
}

asio::awaitable<void> FleetRequests::list_clusters(ServerExchange& exchange, ClientPtr client) {
  const bool is_stream = exchange.request().method == "GET" && takes_events(joined_field(exchange.request().headers, "Accept"));
  HttpResponse head;
  head.status = 200;
  head.headers.add("Content-Type", "application/json");
  head.headers.add("Cache-Control", "no-cache");
  head.headers.add("Vary", "Accept, Accept-Encoding");
  head.headers.add("X-Content-Type-Options", "nosniff");
  if (is_bodiless(exchange)) {
    co_await reply_bodiless(exchange, std::move(head));
    co_return;
  }
  const Result<bool> made = co_await summaries_->refresh();
  if (!made) {
    Refusal refusal(503, made.error());
    co_await refuse(exchange, std::move(refusal));
    co_return;
  }
  if (is_stream) {
    co_await follow_list(exchange, std::move(client));
    co_return;
  }
  std::optional<Body> list = co_await list_for(client);
  // It may have taken a while.
  if (std::optional<Refusal> refusal = no_longer_proven(*client)) {
    co_await refuse(exchange, std::move(*refusal));
    co_return;
  }
  if (!list) {
    Refusal refusal = lack_of_room();
    co_await refuse(exchange, std::move(refusal));
    co_return;
  }
  Body body = std::move(*list);
  co_await reply_own_body(exchange, *client, std::move(head), std::move(body));
}

}  // namespace rollcall::fleet
