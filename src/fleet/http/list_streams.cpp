#include "fleet/http/list_streams.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/backoff.hpp"
#include "fleet/entry/rules/request_rules.hpp"
#include "fleet/fleet_core.hpp"
#include "fleet/http/cluster_stream.hpp"
#include "fleet/http/list_stream.hpp"
#include "fleet/http/own_answer.hpp"
#include "fleet/wire/event_stream.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_list_readers = 128;  // that are kept, those without a stream included
constexpr Duration list_pace = std::chrono::seconds(1);
constexpr Duration list_heartbeat = std::chrono::seconds(10);

}  // namespace

// Readers without a stream are dropped when there are many: a client that comes back then gets all lines.
std::shared_ptr<ListReader> ListStreams::reader_of(const std::string& identity) {
  const auto known = readers_.find(identity);
  if (known != readers_.end()) return known->second;
  if (readers_.size() >= max_list_readers) std::erase_if(readers_, [](const auto& one) { return one.second.use_count() == 1; });
  auto reader = std::make_shared<ListReader>(entry_.runtime()->random_bits());
  readers_[identity] = reader;
  return reader;
}

std::uint64_t ListStreams::rights_since() {
  if (rights_.renew(entry_.admission())) rights_since_ = summaries_->version() + 1;
  return rights_since_;
}

Refusal ListStreams::lack_of_places() const {
  return Refusal(
      503, Failure(Errc::limit_exceeded, fmt::format("{} streams of the list are open, and this client may open no more", places_.taken()))
               .with_hint("ask another server, or later"));
}

asio::awaitable<void> ListStreams::send(ServerExchange& exchange, ClientPtr client) {
  if (entry_.is_closing()) {
    Refusal refusal(503, Failure(Errc::unavailable, "this server stops").with_hint("another one goes on"));
    co_await refuse(entry_, exchange, std::move(refusal));
    co_return;
  }
  const Place place(places_, client->peer_key);
  StreamSlotPtr slot;
  std::optional<Refusal> refusal;
  if (place.is_taken()) {
    refusal = entry_.admission().acquire_slot(client, slot);
  } else {
    refusal = lack_of_places();
  }
  if (refusal) {
    co_await refuse(entry_, exchange, std::move(*refusal));
    co_return;
  }
  const Admission& admission = entry_.admission();
  AsyncEvent news;
  const ClosedWatch watch(exchange, news);
  const std::string last_event_id = joined_field(exchange.request().headers, "Last-Event-ID");
  ListStream stream(entry_, *summaries_, reader_of(client->identity.text), client, last_event_id, rights_since());
  const std::string start = co_await stream.start();
  SharedText first = std::make_shared<const std::string>(render_retry(std::chrono::seconds(1)) + start);
  bool is_open = co_await open_event_stream(exchange, std::move(first));
  SteadyTime sent_at = entry_.now();
  OwnBytes room(entry_.own_bytes(), client->peer_key);
  while (is_open && !entry_.is_closing() && !admission.is_proof_over(*client)) {
    is_open = co_await exchange.wait_writable();
    if (!is_open) break;
    const Result<bool> made = co_await summaries_->refresh();
    if (!made && made.error().code() == Errc::cancelled) co_return;
    const RightsWatch rights(admission);
    std::vector<std::string> pieces = co_await stream.news();
    std::size_t bytes = 0;
    for (const std::string& piece : pieces) bytes += piece.size();
    if (!room.hold(bytes)) {  // the client has other streams open that read slowly; it comes back with its last id
      co_await exchange.end_chunks();
      co_return;
    }
    if (pieces.empty() && entry_.now() - sent_at >= list_heartbeat) pieces.push_back(stream.heartbeat());
    if (!pieces.empty()) sent_at = entry_.now();
    for (const std::string& piece : pieces) {
      // The rest of the round was judged by the former rights and is not sent: the client comes back with its last id.
      if (is_open && rights.is_outdated(admission, *client)) {
        co_await exchange.end_chunks();
        co_return;
      }
      if (is_open) is_open = co_await exchange.write_chunk(piece);
    }
    if (!is_open) break;
    static_cast<void>(room.hold(0));
    const bool is_awake = co_await news.wait_until(*entry_.runtime()->timers, entry_.now() + list_pace);
    is_open = is_awake && !exchange.is_closed();
  }
  if (!is_open) co_return;
  const std::string last = stream.last(admission.is_proof_over(*client) ? "expired" : "moved");
  is_open = co_await exchange.write_chunk(last);
  if (is_open) co_await exchange.end_chunks();
}

}  // namespace rollcall::fleet
