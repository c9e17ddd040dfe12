#include "net/server/server_connection.hpp"

#include <utility>

#include "async/async_event.hpp"
#include "base/wiped_buffer.hpp"

namespace rollcall {

using asio::ip::tcp;

ServerConnection::ServerConnection(std::shared_ptr<ServerShared> shared, tcp::socket socket, std::shared_ptr<ServerTls> tls)
    : ServerLink(std::move(shared), std::move(socket), std::move(tls)), parser_(shared_->limits.head_bytes, shared_->limits.body_bytes) {}

ServerConnection::~ServerConnection() { clear_and_wipe(input_); }

asio::awaitable<void> ServerConnection::run() {
  bool goes_on = co_await shake_hands();
  while (goes_on) {
    const Reading reading = co_await read_request(Part::request);
    disarm();
    leave_idle();
    leave_newcomers();
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
    const bool waits = is_body_left_ || (shared_->limits.ends_by_reset && !may_go_on());
    if (waits && !is_closed() && !is_reset()) co_await linger();
    goes_on = may_go_on() && !is_closed() && stream_.is_open() && !(shared_->wants_room && input_.empty());
    // Pipelined requests are answered in turns, interleaved with those of other connections.
    if (goes_on && !input_.empty()) co_await next_turn();
  }
  if (is_reset()) stream_.reset();
  stream_.close();
}

// From the first byte of a request on its head has one time limit, however slowly it arrives; before, the connection is idle, or new.
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

// The whole body, or the part that a handler reads: one coroutine for both, as thousands of connections have its frame while they are idle.
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
  refusal_ = room_ && room_->is_ended() ? 503 : 408;
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
  if (is_body_left_ && !room_) return Reading::complete;
  if (room_ && !room_->hold(request_.body.capacity())) {
    refusal_ = 503;
    return Reading::refused;
  }
  if (parser_.has_head() && !std::exchange(is_in_body_, true)) arm(shared_->limits.body_time);
  return Reading::more;
}

// How many bytes belong to the request, as far as it is to be read now.
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

// Other bodies need the memory.
void ServerConnection::give_up_body() noexcept {
  std::string().swap(request_.body);
  is_late_ = true;
  stream_.cancel();
}

asio::awaitable<int> ServerConnection::read_body(std::string& into) {
  if (!is_body_left_) {
    into = std::move(request_.body);
    co_return 0;
  }
  const std::size_t max = shared_->body_rule(request_);
  parser_.begin_body(max, true);
  if (parser_.state() == RequestParser::State::refused) co_return parser_.refusal();
  BodyRoom room(shared_->bodies, [](void* self) noexcept { static_cast<ServerConnection*>(self)->give_up_body(); }, this);
  room_ = &room;
  const Reading reading = co_await read_request(Part::body);
  disarm();
  room_ = nullptr;
  if (reading != Reading::complete) std::string().swap(request_.body);  // not held while the refusal is sent
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
  if (shared_->limits.refuses_in_silence) co_return;
  begin_answer({});
  HttpResponse refusal;
  refusal.status = refusal_;
  const bool is_sent = co_await reply(refusal);
  if (is_sent) co_await linger();
}

}  // namespace rollcall
