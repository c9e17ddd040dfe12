#include "net/server/server_connection.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <utility>

#include "async/async_event.hpp"
#include "base/saturating.hpp"
#include "base/wiped_buffer.hpp"
#include "net/server/server_context.hpp"

namespace rollcall {

using asio::ip::tcp;

ServerConnection::ServerConnection(std::shared_ptr<ServerShared> shared, tcp::socket socket, std::shared_ptr<ServerTls> tls)
    : shared_(std::move(shared)), stream_(std::move(socket)), tls_(std::move(tls)),
      parser_(shared_->limits.head_bytes, shared_->limits.body_bytes) {
  request_.is_https = tls_ != nullptr;
  std::error_code error;
  const tcp::endpoint peer = stream_.socket().remote_endpoint(error);
  if (!error) request_.peer = peer.address().to_string();
  ++shared_->accepted;
  ++shared_->open;
}

ServerConnection::~ServerConnection() {
  clear_and_wipe(input_);
  --shared_->open;
}

asio::awaitable<void> ServerConnection::run() {
  bool goes_on = true;
  if (tls_) goes_on = co_await shake_hands();
  while (goes_on) {
    const Reading reading = co_await read_request(Part::request);
    disarm();
    leave_idle();
    if (reading == Reading::refused) co_await refuse();
    if (reading != Reading::complete) break;
    ++shared_->requests;
    Terms terms;
    terms.keeps_alive = parser_.wants_keep_alive() && !is_body_left_;
    terms.is_head = request_.method == "HEAD";
    terms.takes_chunks = !parser_.is_http_1_0();
    begin_answer(terms);
    co_await shared_->handler(*this);
    unwatch();
    if (is_body_left_ && !is_closed() && !is_reset()) co_await part();
    goes_on = may_go_on() && !is_closed() && stream_.is_open() && !(shared_->wants_room && input_.empty());
    // What was sent in one go is answered in turns, with those of others in between.
    if (goes_on && !input_.empty()) co_await next_turn();
  }
  if (is_reset()) stream_.reset();
  stream_.close();
}

asio::awaitable<bool> ServerConnection::shake_hands() {
  // Who says nothing takes no turn.
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
    // Closed by stop() while this resumption was queued already: the TLS object is gone with the stream.
    if (must_end(failed)) break;
  }
  turn_ = nullptr;
  disarm();
  if (is_done) request_.certificate = certificate_of_client(*ssl);
  co_return is_done;
}

// From the first byte of a request on its head has one bound, however it trickles in; before, the connection is idle, or new.
void ServerConnection::begin_request() {
  const bool is_new = request_.method.empty();
  has_begun_ = false;
  is_in_body_ = false;
  is_body_left_ = false;
  wait_for_ = tcp::socket::wait_read;
  parser_.start(request_);
  arm(is_new ? shared_->limits.head_time : shared_->limits.idle_time);
  if (!is_new) shared_->idle.push_back(*this);
}

void ServerConnection::leave_idle() noexcept {
  if (IdleHook::is_linked()) IdleHook::unlink();
}

// To its client it is as if its time had run out.
void ServerConnection::end_idle() noexcept {
  leave_idle();
  is_late_ = true;
  stream_.cancel();
}

// The whole, or what a handler wants of it: one coroutine for both, as thousands of connections have its frame while they are idle.
asio::awaitable<ServerConnection::Reading> ServerConnection::read_request(Part part) {
  if (part == Part::request) {
    begin_request();
  } else {
    arm(shared_->limits.body_time);
  }
  Reading reading = Reading::more;
  if (!input_.empty()) reading = take({});
  while (reading == Reading::more) {
    if (parser_.take_expectation()) {
      const std::string_view go_on[] = {"HTTP/1.1 100 Continue\r\n\r\n"};
      const bool is_sent = co_await send(go_on);
      if (!is_sent) co_return Reading::ended;
      arm(shared_->limits.body_time);
    }
    std::error_code failed;
    if (stream_.must_wait(wait_for_)) co_await stream_.wait(wait_for_, failed);
    if (is_late_) co_return late();
    if (must_end(failed)) co_return Reading::ended;
    reading = read();
  }
  co_return reading;
}

// Before the first byte there is nothing to answer.
ServerConnection::Reading ServerConnection::late() noexcept {
  if (!has_begun_) return Reading::ended;
  refusal_ = 408;
  return Reading::refused;
}

ServerConnection::Reading ServerConnection::read() {
  std::vector<char>& buffer = shared_->read_buffer;
  const IoResult result = stream_.read_some(buffer);
  wait_for_ = result.status == IoStatus::want_write ? tcp::socket::wait_write : tcp::socket::wait_read;
  if (result.status == IoStatus::want_read || result.status == IoStatus::want_write) return Reading::more;
  if (result.status != IoStatus::done) return Reading::ended;
  const Reading reading = take(std::string_view(buffer.data(), result.bytes));
  wipe(buffer.data(), result.bytes);
  return reading;
}

ServerConnection::Reading ServerConnection::take(std::string_view bytes) {
  if (!has_begun_) {
    arm(shared_->limits.head_time);
    leave_idle();
  }
  has_begun_ = true;
  if (input_.empty()) {
    keep(bytes.substr(parse(bytes)));
  } else {
    append_and_wipe(input_, bytes);
    const std::size_t consumed = parse(input_);
    drop_front_and_wipe(input_, consumed);
    if (input_.empty()) std::string().swap(input_);
  }
  if (parser_.state() == RequestParser::State::complete) return Reading::complete;
  if (parser_.state() == RequestParser::State::refused) {
    refusal_ = parser_.refusal();
    return Reading::refused;
  }
  if (is_body_left_ && !is_reading_body_) return Reading::complete;
  if (parser_.has_head() && !std::exchange(is_in_body_, true)) arm(shared_->limits.body_time);
  return Reading::more;
}

// How much of it belongs to the request, as far as it is to be read now.
std::size_t ServerConnection::parse(std::string_view bytes) {
  std::size_t of_head = 0;
  if (!parser_.has_head() && shared_->body_rule) {
    of_head = parser_.put_head(bytes);
    if (!parser_.has_head() || parser_.state() != RequestParser::State::needs_more) return of_head;
    is_body_left_ = shared_->body_rule(request_) > 0;
    if (is_body_left_) return of_head;
    parser_.begin_body(shared_->limits.body_bytes, false);
  }
  return of_head + parser_.put(bytes.substr(of_head));
}

namespace {

// Room for a body, until its last byte is there.
class BodyRoom {
 public:
  BodyRoom(ServerShared& shared, std::size_t bytes) : shared_(shared), bytes_(bytes) {
    const std::size_t all = shared.limits.all_bodies_bytes;
    if (all > 0 && bytes > all - shared.body_bytes) return;
    is_taken_ = true;
    shared_.body_bytes += bytes_;
  }
  ~BodyRoom() {
    if (is_taken_) shared_.body_bytes -= bytes_;
  }
  BodyRoom(const BodyRoom&) = delete;
  BodyRoom& operator=(const BodyRoom&) = delete;
  bool is_taken() const noexcept { return is_taken_; }

 private:
  ServerShared& shared_;
  std::size_t bytes_;
  bool is_taken_ = false;
};

}  // namespace

asio::awaitable<int> ServerConnection::read_body(std::string& into) {
  if (!is_body_left_) {
    into = std::move(request_.body);
    co_return 0;
  }
  const std::size_t most = shared_->body_rule(request_);
  parser_.begin_body(most, true);
  if (parser_.state() == RequestParser::State::refused) co_return parser_.refusal();
  const BodyRoom room(*shared_, std::min(parser_.body_length().value_or(most), most));
  if (!room.is_taken()) co_return 503;
  is_reading_body_ = true;
  const Reading reading = co_await read_request(Part::body);
  disarm();
  is_reading_body_ = false;
  if (reading == Reading::refused) co_return refusal_;
  if (reading != Reading::complete) co_return 400;  // to a client that has gone
  is_body_left_ = false;
  if (parser_.wants_keep_alive()) go_on_after_this_answer();
  into = std::move(request_.body);
  co_return 0;
}

void ServerConnection::keep(std::string_view rest) {
  if (!rest.empty()) append_and_wipe(input_, rest);
}

asio::awaitable<void> ServerConnection::refuse() {
  begin_answer({});
  HttpResponse refusal;
  refusal.status = refusal_;
  const bool is_sent = co_await reply(refusal);
  if (is_sent) co_await part();
}

// After an answer, for a moment all that the client still says: a socket that is closed with bytes unread takes the answer back (RFC 9112,
// 9.6).
asio::awaitable<void> ServerConnection::part() {
  constexpr std::size_t most_heard = 1024 * 1024;
  if (!shared_->timers) co_return;
  stream_.finish();
  arm(shared_->limits.parting_time);
  for (std::size_t heard = 0; heard < most_heard;) {
    const IoResult result = stream_.read_some(shared_->read_buffer);
    heard += result.bytes;
    if (result.status == IoStatus::done) continue;
    if (result.status != IoStatus::want_read) break;
    std::error_code failed;
    co_await stream_.wait(tcp::socket::wait_read, failed);
    if (must_end(failed)) break;
  }
  disarm();
}

void ServerConnection::arm(Duration bound) {
  is_late_ = false;
  if (!shared_->timers || bound <= Duration::zero()) return disarm();
  timer_.set(
      *shared_->timers, saturating_sum(shared_->timers->now(), bound),
      [](void* self) noexcept { static_cast<ServerConnection*>(self)->on_ring(); }, this);
}

void ServerConnection::on_ring() noexcept {
  if (turn_ && turn_->may_go_on()) return arm(shared_->limits.handshake_time / 5);
  is_late_ = true;
  stream_.cancel();
}

}  // namespace rollcall
