#include "fleet/http/own_answer.hpp"

#include <utility>

#include "fleet/entry/rules/request_rules.hpp"

namespace rollcall::fleet {

Refusal lack_of_room() {
  return Refusal(503, Failure(Errc::limit_exceeded, "answers for single clients have taken all of their memory")
                          .with_hint("ask for less at once, or read faster"));
}

bool OwnBytes::hold(std::size_t bytes) {
  if (bytes > held_ && !all_->enter(client_, bytes - held_)) return false;
  if (bytes < held_) all_->leave(client_, held_ - bytes);
  held_ = bytes;
  return true;
}

OwnAnswer::OwnAnswer(ServiceEntry& entry, ServerExchange& exchange, const Client& client, HttpResponse head)
    : entry_(entry), exchange_(exchange), head_(std::move(head)), room_(entry.own_bytes(), client.peer_key) {}

asio::awaitable<bool> OwnAnswer::send_piece() {
  if (!has_begun_) {
    const bool is_packed = takes_gzip(joined_field(exchange_.request().headers, "Accept-Encoding"));
    if (!room_.hold(2 * text.size() + (is_packed ? GzipStream::memory : 0))) {
      Refusal refusal = lack_of_room();
      co_await refuse(entry_, exchange_, std::move(refusal));
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

asio::awaitable<bool> OwnAnswer::send(bool is_last) {
  if (packed_) {
    std::string packed;
    packed_->add(text, is_last, packed);
    text = std::move(packed);
  }
  // A piece larger than the one before may find no room: the client reads slowly and has other answers open.
  bool goes_on = room_.hold(2 * text.size() + (packed_ ? GzipStream::memory : 0));
  const SteadyTime before = entry_.now();
  if (goes_on && !text.empty()) goes_on = co_await exchange_.write_chunk(text);
  waited_ += entry_.now() - before;
  sent_ += text.size();
  text.clear();
  const ServerLimits& limits = entry_.server_limits();
  const bool is_slow = waited_ > limits.write_time + std::chrono::seconds(sent_ / limits.slowest_reader);
  if (!goes_on || is_slow) exchange_.reset();
  co_return goes_on && !is_slow;
}

asio::awaitable<void> OwnAnswer::finish() {
  if (!has_begun_ && !room_.hold(2 * text.size())) {
    Refusal refusal = lack_of_room();
    co_await refuse(entry_, exchange_, std::move(refusal));
    co_return;
  }
  if (!has_begun_) {
    Body body = co_await pack(std::move(text));
    SharedText bytes = encoded_bytes(exchange_.request(), head_, std::move(body));
    static_cast<void>(room_.hold(bytes->size()));  // fewer bytes than before
    co_await exchange_.reply(head_, std::move(bytes));
    co_return;
  }
  const bool is_sent = co_await send(true);
  if (is_sent) co_await exchange_.end_chunks();
}

asio::awaitable<void> OwnAnswer::give_up(Refusal why) {
  if (has_begun_) {
    exchange_.reset();
  } else {
    co_await refuse(entry_, exchange_, std::move(why));
  }
}

asio::awaitable<void> reply_own(ServiceEntry& entry, ServerExchange& exchange, const Client& client, HttpResponse head, std::string text) {
  OwnAnswer answer(entry, exchange, client, std::move(head));
  answer.text = std::move(text);
  co_await answer.finish();
}

asio::awaitable<void> reply_own_body(ServiceEntry& entry, ServerExchange& exchange, const Client& client, HttpResponse head, Body body) {
  OwnBytes room(entry.own_bytes(), client.peer_key);
  SharedText bytes = encoded_bytes(exchange.request(), head, std::move(body));
  if (room.hold(bytes->size())) {
    co_await exchange.reply(head, std::move(bytes));
  } else {
    Refusal refusal = lack_of_room();
    co_await refuse(entry, exchange, std::move(refusal));
  }
}

}  // namespace rollcall::fleet
