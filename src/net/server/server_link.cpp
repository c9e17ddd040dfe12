#include "net/server/server_link.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <utility>

#include "async/async_event.hpp"
#include "base/saturating.hpp"
#include "net/server/server_context.hpp"

namespace rollcall {

using asio::ip::tcp;

ServerLink::ServerLink(std::shared_ptr<ServerShared> shared, tcp::socket socket, std::shared_ptr<ServerTls> tls)
    : shared_(std::move(shared)), stream_(std::move(socket)), tls_(std::move(tls)) {
  request_.is_https = tls_ != nullptr;
  std::error_code error;
  const tcp::endpoint peer = stream_.socket().remote_endpoint(error);
  if (!error) request_.peer = peer.address().to_string();
  ++shared_->accepted;
  ++shared_->open;
}

ServerLink::~ServerLink() {
  leave_newcomers();
  --shared_->open;
}

void ServerLink::close() noexcept {
  timer_.cancel();
  stream_.close();
}

asio::awaitable<bool> ServerLink::shake_hands() {
  if (!tls_) co_return true;
  // A client that sends nothing gets no turn.
  arm(shared_->limits.handshake_time);
  std::error_code failed;
  co_await stream_.wait(tcp::socket::wait_read, failed);
  if (must_end(failed)) co_return false;
  disarm();
  AsyncEvent granted;
  HandshakeTurns::Turn turn(shared_->handshakes, granted);
  while (!turn.is_granted()) {
    const bool is_woken = co_await granted.wait();
    if (!is_woken || !stream_.is_open()) co_return false;
  }
  SslPtr made = tls_->make(stream_.socket().native_handle());
  tls_.reset();
  if (!made) co_return false;
  ssl_st* const ssl = made.release();
  stream_.wrap(ssl);
  arm(shared_->limits.handshake_time / 5);
  turn_ = &turn;
  bool is_done = false;
  while (!is_done) {
    ERR_clear_error();
    const int returned = SSL_do_handshake(ssl);
    is_done = returned == 1;
    if (is_done) break;
    const int error = SSL_get_error(ssl, returned);
    ERR_clear_error();
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) break;
    const auto what = error == SSL_ERROR_WANT_READ ? tcp::socket::wait_read : tcp::socket::wait_write;
    co_await stream_.wait(what, failed);
    // Closed by stop() while this resumption was queued already: the TLS object was destroyed with the stream.
    if (must_end(failed)) break;
  }
  turn_ = nullptr;
  disarm();
  if (is_done) request_.certificate = certificate_of_client(*ssl);
  co_return is_done;
}

asio::awaitable<void> ServerLink::linger() {
  constexpr std::size_t max_discarded = 1024 * 1024;
  if (!shared_->timers) co_return;
  // With both ends finished the connection would be left in TIME_WAIT, reset or not.
  if (!shared_->limits.ends_by_reset) stream_.finish();
  arm(shared_->limits.linger_time);
  for (std::size_t discarded = 0; discarded < max_discarded;) {
    const IoResult result = stream_.read_some(shared_->read_buffer);
    discarded += result.bytes;
    if (result.status == IoStatus::done) continue;
    if (result.status != IoStatus::want_read) break;
    std::error_code failed;
    co_await stream_.wait(tcp::socket::wait_read, failed);
    if (must_end(failed)) break;
  }
  disarm();
}

void ServerLink::leave_idle() noexcept {
  if (IdleHook::is_linked()) IdleHook::unlink();
}

void ServerLink::enter_as_newcomer() {
  const std::size_t max = shared_->limits.newcomers;
  if (max == 0) return;
  shared_->newcomers.push_back(*this);
  if (++shared_->newcomer_count > max) shared_->newcomers.front().end_newcomer();
}

void ServerLink::leave_newcomers() noexcept {
  if (!NewcomerHook::is_linked()) return;
  NewcomerHook::unlink();
  --shared_->newcomer_count;
}

void ServerLink::end_newcomer() noexcept {
  leave_newcomers();
  close();
}

// For its client this is the same as the idle time-out.
void ServerLink::end_idle() noexcept {
  leave_idle();
  is_late_ = true;
  stream_.cancel();
}

void ServerLink::arm(Duration bound) {
  is_late_ = false;
  if (!shared_->timers || bound <= Duration::zero()) return disarm();
  timer_.set(
      *shared_->timers, saturating_sum(shared_->timers->now(), bound),
      [](void* self) noexcept { static_cast<ServerLink*>(self)->on_ring(); }, this);
}

void ServerLink::on_ring() noexcept {
  if (turn_ && turn_->may_go_on()) return arm(shared_->limits.handshake_time / 5);
  is_late_ = true;
  stream_.cancel();
}

}  // namespace rollcall
