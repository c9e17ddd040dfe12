#include "fleet/http/own_answer.hpp"

#include <utility>

#include "fleet/http/rules/request_rules.hpp"

namespace rollcall::fleet {

Refusal lack_of_room() {
  return Refusal(503, Failure(Errc::limit_exceeded, "answers that are made for single clients take all the memory that they may")
                          .with_hint("ask for less at once, or read faster"));
}

bool OwnBytes::hold(std::size_t bytes) {
  if (bytes > held_ && !all_->enter(client_, bytes - held_)) return false;
  if (bytes < held_) all_->leave(client_, held_ - bytes);
  held_ = bytes;
  return true;
}

FleetRequests::OwnAnswer::OwnAnswer(FleetRequests& service, ServerExchange& exchange, const Client& client, HttpResponse head)
    : service_(service), exchange_(exchange), head_(std::move(head)), room_(service.own_bytes_, client.client) {}

asio::awaitable<bool> FleetRequests::OwnAnswer::send_piece() {
  if (!has_begun_) {
    const bool is_packed = takes_gzip(joined_field(exchange_.request().headers, "Accept-Encoding"));
    if (!room_.hold(2 * text.size() + (is_packed ? GzipStream::memory : 0))) {
      Refusal refusal = lack_of_room();
      co_await service_.refuse(exchange_, std::move(refusal));
      co_return false;
    }
    if (is_packed) packed_ = std::make_unique<GzipStream>();
    if (is_packed) head_.headers.add("Content-Encoding", "gzip");
    has_begun_ = true;
    const bool is_open = co_await exchange_.start_chunks(head_);
    if (!is_open) co_return false;
  }
  co_return co_await send(false);
}

asio::awaitable<bool> FleetRequests::OwnAnswer::send(bool is_last) {
  if (packed_) {
    std::string packed;
    packed_->add(text, is_last, packed);
    text = std::move(packed);
  }
  // A larger piece than before: where there is no room for it the client reads slowly, and has much open.
  bool goes_on = room_.hold(2 * text.size() + (packed_ ? GzipStream::memory : 0));
  const SteadyTime before = service_.now();
  if (goes_on && !text.empty()) goes_on = co_await exchange_.write_chunk(text);
  waited_ += service_.now() - before;
  sent_ += text.size();
  text.clear();
  const ServerLimits usual;
  const bool is_slow = waited_ > usual.write_time + std::chrono::seconds(sent_ / usual.slowest_reader);
  if (!goes_on || is_slow) exchange_.reset();
  co_return goes_on && !is_slow;
}

asio::awaitable<void> FleetRequests::OwnAnswer::finish() {
  if (!has_begun_ && !room_.hold(2 * text.size())) {
    Refusal refusal = lack_of_room();
    co_await service_.refuse(exchange_, std::move(refusal));
    co_return;
  }
  if (!has_begun_) {
    Body body = co_await pack(std::move(text));
    SharedBytes bytes = chosen_bytes(exchange_.request(), head_, std::move(body));
    static_cast<void>(room_.hold(bytes->size()));  // less than before
    co_await exchange_.reply(head_, std::move(bytes));
    co_return;
  }
  const bool is_sent = co_await send(true);
  if (is_sent) co_await exchange_.end_chunks();
}

asio::awaitable<void> FleetRequests::OwnAnswer::give_up(Refusal why) {
  if (has_begun_) {
    exchange_.reset();
  } else {
    co_await service_.refuse(exchange_, std::move(why));
  }
}

// For what was made as a whole, and is small enough for that.
asio::awaitable<void> FleetRequests::reply_own(ServerExchange& exchange, const Client& client, HttpResponse head, std::string text) {
  OwnAnswer answer(*this, exchange, client, std::move(head));
  answer.text = std::move(text);
  co_await answer.finish();
}

asio::awaitable<void> FleetRequests::reply_own_body(ServerExchange& exchange, const Client& client, HttpResponse head, Body body) {
  OwnBytes room(own_bytes_, client.client);
  SharedBytes bytes = chosen_bytes(exchange.request(), head, std::move(body));
  if (room.hold(bytes->size())) {
    co_await exchange.reply(head, std::move(bytes));
  } else {
    Refusal refusal = lack_of_room();
    co_await refuse(exchange, std::move(refusal));
  }
}

bool FleetRequests::is_bodiless(const ServerExchange& exchange) noexcept { return exchange.request().method == "HEAD"; }

// The answer to HEAD, without the length that GET's would have: nothing is made for it.
asio::awaitable<void> FleetRequests::reply_bodiless(ServerExchange& exchange, HttpResponse head) {
  const bool is_open = co_await exchange.start_chunks(head);
  if (is_open) co_await exchange.end_chunks();
}

}  // namespace rollcall::fleet
