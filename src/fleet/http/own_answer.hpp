// Answers that are rendered for a single client. Their bytes count against the client's share of a bounded memory, and a long answer is
// sent in pieces while it is rendered: a short request for a very long answer never holds all of it in memory.
#pragma once

#include <memory>
#include <string>

#include "fleet/entry/gzip_stream.hpp"
#include "fleet/http/replies.hpp"

namespace rollcall::fleet {

/// Bytes held for a client; released by the destructor.
class OwnBytes {
 public:
  OwnBytes(std::shared_ptr<FairShares> all, std::string client) : all_(std::move(all)), client_(std::move(client)) {}
  ~OwnBytes() { all_->leave(client_, held_); }
  OwnBytes(const OwnBytes&) = delete;
  OwnBytes& operator=(const OwnBytes&) = delete;

  /// Holds `bytes` in place of those before. False, and those before stay held: that is more than the client's share, or than is free.
  bool hold(std::size_t bytes);

 private:
  std::shared_ptr<FairShares> all_;
  std::string client_;
  std::size_t held_ = 0;
};

/// The answer to a client whose share is taken.
Refusal lack_of_room();

/// All references outlive it.
class OwnAnswer {
 public:
  OwnAnswer(ServiceEntry& entry, ServerExchange& exchange, const Client& client, HttpResponse head);

  std::string text;  ///< rendered so far and not sent: callers append to it
  bool is_long() const noexcept { return text.size() >= 64 * 1024; }
  /// Sends and clears the text; to be called where it is_long(). Suspends while the client does not read. False: the answer has ended,
  /// because the client has left or reads too slowly, or its share is taken.
  asio::awaitable<bool> send_piece();
  /// Sends the rest; with its length if nothing was sent before.
  asio::awaitable<void> finish();
  /// Ends the answer so that the client does not take it for complete.
  asio::awaitable<void> give_up(Refusal why);

 private:
  asio::awaitable<bool> send(bool is_last);

  ServiceEntry& entry_;
  ServerExchange& exchange_;
  HttpResponse head_;
  OwnBytes room_;
  std::unique_ptr<GzipStream> packed_;  // null: not compressed, or nothing was sent
  bool has_begun_ = false;
  std::uint64_t sent_ = 0;
  Duration waited_{0};  // for the client
};

/// Sends a text that was rendered as a whole for the client.
asio::awaitable<void> reply_own(ServiceEntry& entry, ServerExchange& exchange, const Client& client, HttpResponse head, std::string text);
/// The same with a body that is compressed already.
asio::awaitable<void> reply_own_body(ServiceEntry& entry, ServerExchange& exchange, const Client& client, HttpResponse head, Body body);

}  // namespace rollcall::fleet
