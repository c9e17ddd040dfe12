#include "net/server/server_connection.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <asio/post.hpp>
#include <utility>

namespace rollcall {

using asio::ip::tcp;

ServerConnection::ServerConnection(std::shared_ptr<ServerShared> shared, tcp::socket socket, ssl_st* ssl)
    : shared_(std::move(shared)), stream_(std::move(socket), ssl), handshake_(ssl) {
  request_.is_https = ssl != nullptr;
  std::error_code error;
  const tcp::endpoint peer = stream_.socket().remote_endpoint(error);
  if (!error) request_.peer = peer.address().to_string();
  ++shared_->accepted;
  ++shared_->open;
}

ServerConnection::~ServerConnection() { --shared_->open; }

asio::awaitable<void> ServerConnection::run() {
  if (handshake_) {
    const bool is_done = co_await shake_hands();
    if (!is_done) co_return;
  }
  do {
    const bool has_request = co_await read_request();
    if (!has_request) break;
    ++shared_->requests;
    Terms terms;
    terms.keeps_alive = parser_.wants_keep_alive();
    terms.is_head = request_.method == "HEAD";
    begin_answer(terms);
    co_await shared_->handler(*this);
    unwatch();
  } while (may_go_on() && !is_closed() && stream_.is_open());
  if (is_reset()) stream_.reset();
  stream_.close();
}

asio::awaitable<bool> ServerConnection::shake_hands() {
  for (;;) {
    ERR_clear_error();
    const int returned = SSL_do_handshake(handshake_);
    if (returned == 1) co_return true;
    const int error = SSL_get_error(handshake_, returned);
    ERR_clear_error();
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) co_return false;
    const auto what = error == SSL_ERROR_WANT_READ ? tcp::socket::wait_read : tcp::socket::wait_write;
    std::error_code failed;
    co_await stream_.wait(what, failed);
    // Closed by stop() while this resumption was queued already: the TLS object is gone with the stream.
    if (failed || !stream_.is_open()) co_return false;
  }
}

IoResult ServerConnection::read_some() {
  const std::size_t size = input_.size();
  constexpr std::size_t piece = 16 * 1024;
  input_.resize(size + piece);
  const IoResult result = stream_.read_some(std::span<char>(input_.data() + size, piece));
  input_.resize(size + (result.status == IoStatus::done ? result.bytes : 0));
  return result;
}

asio::awaitable<bool> ServerConnection::fill() {
  for (;;) {
    const IoResult result = read_some();
    if (result.status == IoStatus::done) co_return true;
    if (result.status != IoStatus::want_read && result.status != IoStatus::want_write) co_return false;
    const auto what = result.status == IoStatus::want_read ? tcp::socket::wait_read : tcp::socket::wait_write;
    std::error_code failed;
    co_await stream_.wait(what, failed);
    if (failed) co_return false;
  }
}

void ServerConnection::on_watched() {
  if (std::exchange(is_watched_, true)) return;
  watch();
}

// A plain handler, no coroutine: ten thousand who follow a stream have it waiting.
void ServerConnection::watch() {
  if (!stream_.must_wait(tcp::socket::wait_read)) {
    asio::post(stream_.socket().get_executor(), [self = shared_from_this(), number = ++watch_] { self->on_readable(number); });
    return;
  }
  stream_.socket().async_wait(tcp::socket::wait_read, [self = shared_from_this(), number = ++watch_](std::error_code error) {
    if (!error) self->on_readable(number);
  });
}

void ServerConnection::unwatch() {
  if (!std::exchange(is_watched_, false)) return;
  ++watch_;
  stream_.cancel();
}

// What comes while a request is answered is the next one, unless there is no end to it.
void ServerConnection::on_readable(std::uint64_t number) {
  constexpr std::size_t most_kept = 64 * 1024;
  if (!is_watched_ || number != watch_ || !stream_.is_open()) return;
  const IoResult result = read_some();
  const bool is_waiting = result.status == IoStatus::want_read || result.status == IoStatus::want_write;
  if (!is_waiting && (result.status != IoStatus::done || input_.size() > most_kept)) {
    end_with_this_answer();
    return note_closed();
  }
  watch();
}

asio::awaitable<bool> ServerConnection::read_request() {
  parser_.start(request_);
  for (;;) {
    if (!input_.empty()) {
      const std::size_t consumed = parser_.put(input_);
      input_.erase(0, consumed);
    }
    if (parser_.state() == RequestParser::State::complete) co_return true;
    if (parser_.state() == RequestParser::State::refused) {
      HttpResponse refusal;
      refusal.status = parser_.refusal();
      begin_answer({});
      co_await reply(refusal);
      co_return false;
    }
    if (parser_.take_expectation()) {
      const bool is_sent = co_await write_all("HTTP/1.1 100 Continue\r\n\r\n");
      if (!is_sent) co_return false;
    }
    if (input_.empty()) {  // it was only just written to, so that a read would find nothing
      std::error_code failed;
      if (stream_.must_wait(tcp::socket::wait_read)) co_await stream_.wait(tcp::socket::wait_read, failed);
      if (failed) co_return false;
    }
    const bool has_more = co_await fill();
    if (!has_more) co_return false;
  }
}

asio::awaitable<bool> ServerConnection::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const IoResult result = stream_.write_some(std::span<const char>(bytes.data(), bytes.size()));
    if (result.status == IoStatus::done) {
      bytes.remove_prefix(result.bytes);
      continue;
    }
    if (result.status != IoStatus::want_read && result.status != IoStatus::want_write) co_return false;
    const auto what = result.status == IoStatus::want_read ? tcp::socket::wait_read : tcp::socket::wait_write;
    std::error_code failed;
    co_await stream_.wait(what, failed);
    if (failed) co_return false;
  }
  co_return true;
}

asio::awaitable<bool> ServerConnection::wait_writable() {
  pollfd socket{.fd = stream_.socket().native_handle(), .events = POLLOUT, .revents = 0};
  const bool may_write = stream_.is_open() && ::poll(&socket, 1, 0) == 1;
  std::error_code failed;
  if (stream_.is_open() && !may_write) co_await stream_.wait(tcp::socket::wait_write, failed);
  co_return !failed && !is_closed() && stream_.is_open();
}

asio::awaitable<bool> ServerConnection::send(std::span<const std::string_view> pieces) {
  for (const std::string_view piece : pieces) {
    const bool is_sent = co_await write_all(piece);
    if (!is_sent) co_return false;
  }
  co_return true;
}

}  // namespace rollcall
