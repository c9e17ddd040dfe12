#include "fleet/http/list_page.hpp"

#include <fmt/format.h>

#include <iterator>

#include "fleet/http/own_answer.hpp"
#include "fleet/http/rules/request_rules.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_lists = 16;  // of clients with different rights; each is as large as all lines

}  // namespace

asio::awaitable<void> ListPage::answer(PageRequest request) { return send(request.exchange, std::move(request.client)); }

asio::awaitable<void> ListPage::send(ServerExchange& exchange, ClientPtr client) {
  const bool is_stream = exchange.request().method == "GET" && takes_events(joined_field(exchange.request().headers, "Accept"));
  HttpResponse head;
  head.status = 200;
  head.headers.add("Content-Type", "application/json");
  head.headers.add("Cache-Control", "no-cache");
  head.headers.add("Vary", "Accept, Accept-Encoding");
  head.headers.add("X-Content-Type-Options", "nosniff");
  if (is_head(exchange)) {
    co_await reply_head(exchange, std::move(head));
    co_return;
  }
  const Result<bool> made = co_await summaries_->refresh();
  if (!made) {
    Refusal refusal(503, made.error());
    co_await refuse(entry_, exchange, std::move(refusal));
    co_return;
  }
  if (is_stream) {
    co_await streams_.send(exchange, std::move(client));
    co_return;
  }
  std::optional<Body> list = co_await list_for(client);
  // Rendering may have taken a while.
  if (std::optional<Refusal> refusal = entry_.admission().reauthentication(*client)) {
    co_await refuse(entry_, exchange, std::move(*refusal));
    co_return;
  }
  if (!list) {
    Refusal refusal = lack_of_room();
    co_await refuse(entry_, exchange, std::move(refusal));
    co_return;
  }
  Body body = std::move(*list);
  co_await reply_own_body(entry_, exchange, *client, std::move(head), std::move(body));
}

// The list of the client's identity: clients with the same identity have the same rights and share the bytes. None: the client's share of
// memory is taken.
asio::awaitable<std::optional<Body>> ListPage::list_for(ClientPtr client) {
  const Admission& admission = entry_.admission();
  for (;;) {
    const std::uint64_t lines = summaries_->rounds();
    const std::uint64_t rights = admission.rights_version();
    if (std::exchange(lists_of_, lines) != lines) lists_.clear();
    const auto known = lists_.find(client->identity.text);
    if (known != lists_.end() && known->second.first == rights) co_return known->second.second;
    const SteadyTime present = entry_.now();
    OwnBytes room(entry_.own_bytes(), client->peer_key);
    if (!room.hold(2 * list_bytes_)) co_return std::nullopt;  // an estimate: the size of the last list
    std::string text = "{\"clusters\":[";
    const std::function<void(const ClusterSummaries::Line&)> add = [&text, present](const ClusterSummaries::Line& line) {
      if (text.back() == '}') text += ',';
      fmt::format_to(std::back_inserter(text), "{},\"age_ms\":{}}}", line.head, age_text(line.polled_at, present));
    };
    co_await summaries_->visit(admission, *client, add);
    text += "]}";
    list_bytes_ = text.size();
    Body body = co_await pack(std::move(text));
    if (rights != admission.rights_version()) continue;  // some lines were judged by the former rights
    if (lines == summaries_->rounds() && lists_.size() < max_lists) lists_[client->identity.text] = {rights, body};
    co_return body;
  }
}

}  // namespace rollcall::fleet
