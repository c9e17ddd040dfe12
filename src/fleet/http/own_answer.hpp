// Answers that are made for one client alone. What is held of them is that client's share of a bounded memory, and long ones leave in
// pieces as the client takes them: what is asked for many times over in few bytes is never there as a whole.
#pragma once

#include <memory>
#include <string>

#include "fleet/http/fleet_requests.hpp"
#include "fleet/http/gzip_stream.hpp"

namespace rollcall::fleet {

/// Bytes that are held for a client, until it is destroyed.
class OwnBytes {
 public:
  OwnBytes(std::shared_ptr<FairShares> all, std::string client) : all_(std::move(all)), client_(std::move(client)) {}
  ~OwnBytes() { all_->leave(client_, held_); }
  OwnBytes(const OwnBytes&) = delete;
  OwnBytes& operator=(const OwnBytes&) = delete;

  /// So many in place of those before. False, and as many as before are held: that is more than its share, or than there is.
  bool hold(std::size_t bytes);

 private:
  std::shared_ptr<FairShares> all_;
  std::string client_;
  std::size_t held_ = 0;
};

/// What a client is told that holds its share already.
Refusal lack_of_room();

/// All references outlive it.
class FleetRequests::OwnAnswer {
 public:
  OwnAnswer(FleetRequests& service, ServerExchange& exchange, const Client& client, HttpResponse head);

  std::string text;  ///< what is to be sent next: is added to
  bool is_long() const noexcept { return text.size() >= 64 * 1024; }
  /// Sends the text, and clears it; to be called where it is_long(). Suspends while the client does not take it. False: the answer has
  /// ended, as the client has gone, reads too slowly, or there is no room for what it asks for.
  asio::awaitable<bool> send_piece();
  /// The rest of it, in one piece and with its length where nothing was sent so far.
  asio::awaitable<void> finish();
  /// The client must not take it for whole.
  asio::awaitable<void> give_up(Refusal why);

 private:
  asio::awaitable<bool> send(bool is_last);

  FleetRequests& service_;
  ServerExchange& exchange_;
  HttpResponse head_;
  OwnBytes room_;
  std::unique_ptr<GzipStream> packed_;  // null: the client does not take it, or nothing was sent
  bool has_begun_ = false;
  std::uint64_t sent_ = 0;
  Duration waited_{0};  // for the client
};

}  // namespace rollcall::fleet
