// /v1/clusters: a line for each followed target that the client may read, as one body or as a stream.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/append_formatted.hpp"
#include "fleet/entry/body.hpp"
#include "fleet/entry/rules/request_rules.hpp"
#include "fleet/http/cluster_summaries.hpp"
#include "fleet/http/list_streams.hpp"
#include "fleet/http/own_answer.hpp"
#include "fleet/http/pages.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_lists = 16;  // of clients with different rights; each is as large as all lines

class ListPage final : public Page {
 public:
  ListPage(ServiceEntry& entry, std::shared_ptr<ClusterSummaries> summaries)
      : entry_(entry), summaries_(summaries), streams_(entry, std::move(summaries)) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  asio::awaitable<void> send(ServerExchange& exchange, ClientPtr client);
  asio::awaitable<std::optional<Body>> list_for(ClientPtr client);

  ServiceEntry& entry_;
  std::shared_ptr<ClusterSummaries> summaries_;
  std::map<std::string, std::pair<std::uint64_t, Body>> lists_;  // by identity; with the rights_version() of each
  std::uint64_t lists_of_ = 0;                                   // ClusterSummaries::rounds() of lists_
  std::size_t list_bytes_ = 0;                                   // size of the list that was rendered last
  ListStreams streams_;
};

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
      append_formatted(text, "{},\"age_ms\":{}}}", line.head, age_text(line.polled_at, present));
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

std::unique_ptr<Page> make_list_page(ServiceEntry& entry, std::shared_ptr<ClusterSummaries> summaries) {
  return std::make_unique<ListPage>(entry, std::move(summaries));
}

}  // namespace rollcall::fleet
