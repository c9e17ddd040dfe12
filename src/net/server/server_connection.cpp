#include "net/server/server_connection.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <asio/this_coro.hpp>

namespace rollcall {

using asio::ip::tcp;

ServerConnection::ServerConnection(std::shared_ptr<ServerShared> shared, tcp::socket socket, ssl_st* ssl)
    : shared_(std::move(shared)), stream_(std::move(socket), ssl), handshake_(ssl) {
  request_.is_https = ssl != nullptr;
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
    has_replied_ = false;
    keeps_alive_ = parser_.wants_keep_alive();
    co_await shared_->handler(*this);
  } while (has_replied_ && keeps_alive_ && !is_reset_ && stream_.is_open());
  if (is_reset_) stream_.reset();
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

asio::awaitable<bool> ServerConnection::fill() {
  for (;;) {
    const std::size_t size = input_.size();
    constexpr std::size_t piece = 16 * 1024;
    input_.resize(size + piece);
    const IoResult result = stream_.read_some(std::span<char>(input_.data() + size, piece));
    input_.resize(size + (result.status == IoStatus::done ? result.bytes : 0));
    if (result.status == IoStatus::done) co_return true;
    if (result.status != IoStatus::want_read && result.status != IoStatus::want_write) co_return false;
    const auto what = result.status == IoStatus::want_read ? tcp::socket::wait_read : tcp::socket::wait_write;
    std::error_code failed;
    co_await stream_.wait(what, failed);
    if (failed) co_return false;
  }
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
      output_.clear();
      append_response(output_, refusal, false, false);
      co_await write_all(output_);
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

asio::awaitable<bool> ServerConnection::reply(const HttpResponse& response) {
  if (has_replied_) co_return false;  // one answer a request
  has_replied_ = true;
  output_.clear();
  append_response(output_, response, request_.method == "HEAD", keeps_alive_);
  const bool is_sent = co_await write_all(output_);
  if (!is_sent) keeps_alive_ = false;
  co_return is_sent;
}

asio::awaitable<bool> ServerConnection::start_chunks(const HttpResponse& head) {
  output_.clear();
  append_chunked_head(output_, head, keeps_alive_);
  co_return co_await write_all(output_);
}

asio::awaitable<bool> ServerConnection::write_chunk(std::string_view bytes) {
  output_.clear();
  append_chunk(output_, bytes);
  co_return co_await write_all(output_);
}

asio::awaitable<bool> ServerConnection::end_chunks() {
  has_replied_ = true;
  output_ = "0\r\n\r\n";
  const bool is_sent = co_await write_all(output_);
  if (!is_sent) keeps_alive_ = false;
  co_return is_sent;
}

asio::awaitable<bool> ServerConnection::write_raw(std::string_view bytes) {
  keeps_alive_ = false;
  co_return co_await write_all(bytes);
}

asio::awaitable<void> ServerConnection::wait_closed() {
  // What comes meanwhile is the next request, unless there is no end to it.
  constexpr std::size_t most_kept = 64 * 1024;
  bool goes_on = true;
  while (goes_on) {
    goes_on = co_await fill();
    if (goes_on && input_.size() <= most_kept) continue;
    const asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) co_return;  // nobody waits any more: the connection goes on
    keeps_alive_ = false;
    input_.clear();
  }
}

}  // namespace rollcall
