#include "net/server/rpc_connection.hpp"

#include <asio/post.hpp>
#include <utility>
#include <vector>

#include "base/saturating.hpp"
#include "rollcall/secret.hpp"

namespace rollcall {

using asio::ip::tcp;

namespace {

constexpr std::size_t taken_at_a_time = 64 * 1024;

Http2Limits limits_of(const ServerLimits& limits) {
  Http2Limits made;
  made.head_bytes = limits.head_bytes;
  return made;
}

}  // namespace

RpcConnection::RpcConnection(std::shared_ptr<ServerShared> shared, tcp::socket socket, std::shared_ptr<ServerTls> tls,
                             std::shared_ptr<RpcCalls> calls)
    : ServerLink(std::move(shared), std::move(socket), std::move(tls)), all_(std::move(calls)),
      session_(limits_of(shared_->limits), *this, now()) {}

RpcConnection::~RpcConnection() { end_calls(); }

SteadyTime RpcConnection::now() const { return shared_->timers ? shared_->timers->now() : std::chrono::steady_clock::now(); }

asio::awaitable<void> RpcConnection::run() {
  const bool is_secure = co_await shake_hands();
  if (!is_secure) co_return;
  since_ = now();
  for (;;) {
    const bool is_sent = co_await flush();
    if (!is_sent) co_return;
    if (!goes_on_) break;
    goes_on_ = rest_or_end();
    if (!goes_on_) continue;
    watch();
    const bool is_woken = co_await news_.wait();
    if (!is_woken || !stream_.is_open()) co_return;
    if (is_late_) {
      session_.end(state_ == State::idle ? Http2Session::Why::done : Http2Session::Why::too_much);
      goes_on_ = false;
    }
    if (goes_on_ && std::exchange(is_readable_, false)) read();
  }
  end_calls();
  co_await linger();
}

RpcConnection::State RpcConnection::state() const noexcept {
  if (!session_.has_begun()) return State::greeting;
  if (session_.is_in_head()) return State::head;
  return calls_.empty() ? State::idle : State::calls;
}

// Sets the time limit of the next wait. False: it must not be waited for.
bool RpcConnection::rest_or_end() {
  if (const State next = state(); next != state_) {
    state_ = next;
    since_ = now();
    leave_idle();
    if (state_ == State::idle) shared_->idle.push_back(*this);
  }
  if (state_ == State::idle && shared_->wants_room) {
    session_.end(Http2Session::Why::done);
    return false;
  }
  if (state_ == State::calls) {
    disarm();
    return true;
  }
  const Duration bound = state_ == State::idle ? shared_->limits.idle_time : shared_->limits.head_time;
  if (bound <= Duration::zero()) return true;
  arm(std::max<Duration>(saturating_sum(since_, bound) - now(), std::chrono::nanoseconds(1)));
  return true;
}

IoResult RpcConnection::write_now() {
  const IoResult result = stream_.write_some(std::span<const char>(out_).subspan(sent_));
  sent_ += result.bytes;
  if (sent_ == out_.size()) {
    std::string().swap(out_);
    sent_ = 0;
  }
  return result;
}

// For a slow client some of the bytes are in the kernel, few here, and the rest with the calls: the limit counts from the last progress.
asio::awaitable<bool> RpcConnection::flush() {
  for (;;) {
    if (out_.empty()) goes_on_ = session_.take(out_, taken_at_a_time) && goes_on_;
    if (out_.empty()) co_return true;
    const IoResult result = write_now();
    if (result.status == IoStatus::done) continue;
    if (result.status != IoStatus::want_read && result.status != IoStatus::want_write) co_return false;
    const auto what = result.status == IoStatus::want_read ? tcp::socket::wait_read : tcp::socket::wait_write;
    arm(shared_->limits.write_time);
    std::error_code failed;
    co_await stream_.wait(what, failed);
    if (must_end(failed)) co_return false;
    disarm();
  }
}

// A plain handler instead of a coroutine: a thousand connections wait here.
void RpcConnection::watch() {
  if (is_watching_) return;
  if (!stream_.must_wait(wait_for_)) {
    is_readable_ = true;
    return news_.wake();
  }
  is_watching_ = true;
  auto on_event = [self = std::static_pointer_cast<RpcConnection>(shared_from_this())](std::error_code error) {
    self->is_watching_ = false;
    self->is_readable_ = self->is_readable_ || !error;
    self->news_.wake();
  };
  stream_.socket().async_wait(wait_for_, std::move(on_event));
}

void RpcConnection::read() {
  std::vector<char>& buffer = shared_->read_buffer;
  const IoResult result = stream_.read_some(buffer);
  wait_for_ = result.status == IoStatus::want_write ? tcp::socket::wait_write : tcp::socket::wait_read;
  if (result.status == IoStatus::want_read || result.status == IoStatus::want_write) return;
  if (result.status != IoStatus::done) {
    session_.end(Http2Session::Why::done);
    goes_on_ = false;
    return;
  }
  goes_on_ = session_.put(std::string_view(buffer.data(), result.bytes), now());
  wipe(buffer.data(), result.bytes);
}

void RpcConnection::on_request(std::int32_t stream, Http2Request request) {
  ++shared_->requests;
  constexpr std::pair<std::string_view, std::string_view> no_post[] = {{":status", "405"}, {"allow", "POST"}};
  constexpr std::pair<std::string_view, std::string_view> no_rpc[] = {{":status", "415"}};
  if (request.is_too_large) {
    answer_with(session_, stream, RpcStatus::resource_exhausted, "the metadata are longer than may be");
  } else if (request.method != "POST") {
    session_.answer(stream, no_post);
  } else if (!is_rpc_content_type(request.headers.get("content-type").value_or(""))) {
    session_.answer(stream, no_rpc);
  } else if (request.path != all_->method.path) {
    answer_with(session_, stream, RpcStatus::unimplemented, "this server has " + all_->method.path + " alone");
  } else if (all_->open >= all_->method.streams) {
    answer_with(session_, stream, RpcStatus::resource_exhausted, "as many streams are open as may be");
  } else {
    begin(stream, std::move(request));
  }
}

void RpcConnection::begin(std::int32_t stream, Http2Request request) {
  ServerRequest about = request_;
  about.method = std::move(request.method);
  about.target = std::move(request.path);
  about.host = std::move(request.authority);
  about.headers = std::move(request.headers);
  const auto call = std::make_shared<RpcCall>(*this, stream, std::move(about), all_->message_bytes);
  calls_.emplace(stream, call);
  // A connection that has ended by then is ignored.
  asio::post(stream_.socket().get_executor(), [call, all = all_] {
    if (!call->is_over()) all->method.on_stream(taken_call(call));
  });
}

void RpcConnection::on_content(std::int32_t stream, std::string_view bytes) {
  const auto known = calls_.find(stream);
  if (known == calls_.end() || known->second->is_over()) return session_.give_back(stream, bytes.size());
  known->second->put(bytes);
}

void RpcConnection::on_request_end(std::int32_t stream) {
  const auto known = calls_.find(stream);
  if (known != calls_.end()) known->second->note_request_end();
}

void RpcConnection::on_sent(std::int32_t stream) {
  const auto known = calls_.find(stream);
  if (known != calls_.end()) known->second->note_sent();
}

void RpcConnection::on_stream_end(std::int32_t stream) {
  const auto known = calls_.find(stream);
  if (known == calls_.end()) return;
  known->second->note_end();
  calls_.erase(known);
}

void RpcConnection::end_calls() noexcept {
  leave_idle();
  for (const auto& [stream, call] : calls_) call->note_end();
  calls_.clear();
}

// Sends the final statuses as far as the socket accepts them at once.
void RpcConnection::close() noexcept {
  if (stream_.is_open() && session_.has_begun() && out_.empty()) {
    for (const auto& [stream, call] : calls_) call->finish(RpcStatus::unavailable, "this server stops");
    session_.take(out_, taken_at_a_time);
    session_.end(Http2Session::Why::done);
    session_.take(out_, taken_at_a_time);
    if (!out_.empty()) write_now();
  }
  end_calls();
  ServerLink::close();
}

}  // namespace rollcall
