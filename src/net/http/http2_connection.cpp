#include "net/http/http2_connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asio/post.hpp>
#include <utility>

#include "base/saturating.hpp"
#include "base/wiped_buffer.hpp"
#include "net/tls/tls_fault.hpp"

namespace rollcall {
namespace {

constexpr std::size_t written_at_once = 64 * 1024;
constexpr int reads_in_turn = 4;
// As client-go [facts: client-go-http2]: a peer that has disappeared is noticed after both.
constexpr Duration silence_before_ping = std::chrono::seconds(30);
constexpr Duration time_for_pong = std::chrono::seconds(15);

}  // namespace

Http2Stream::Http2Stream(std::shared_ptr<Http2Connection> connection, HttpResponse& into, std::size_t max_header_bytes,
                         std::size_t max_body_bytes, bool is_in_pieces, void (*on_ready)(void*), void* context)
    : Http2Answer(into, max_header_bytes, max_body_bytes, is_in_pieces), connection_(std::move(connection)), on_ready_(on_ready),
      context_(context), is_in_pieces_(is_in_pieces) {
  if (connection_->memory_) unread_ = MemoryShare(connection_->memory_);
}

Http2Stream::~Http2Stream() { connection_->forget(*this); }

bool Http2Stream::begin(const HttpRequest& request, std::string_view user_agent) { return connection_->begin(*this, request, user_agent); }

bool Http2Stream::is_ready() const noexcept {
  if (is_done() || fault()) return true;
  return is_in_pieces_ && (content.size() > taken_ || (has_head() && !is_head_taken_));
}

void Http2Stream::take_content(std::string& out, std::size_t at_most) {
  if (!is_in_pieces_ && out.empty()) return out.swap(content);
  const std::string_view rest = std::string_view(content).substr(taken_, is_in_pieces_ ? at_most : std::string_view::npos);
  append_and_wipe(out, rest);
  taken_ += rest.size();
  connection_->client_.note_taken(*this, rest.size());
  if (taken_ >= content.size() - taken_) {  // a reader that never catches up keeps no more than twice what it has not read
    drop_front_and_wipe(content, std::exchange(taken_, 0));
    unread_.return_to(content.size());
  }
  if (connection_->client_.has_output()) connection_->flush_later();
}

bool Http2Stream::is_lost() const noexcept { return !connection_->stream_ && !has_received_any(); }

void Http2Stream::note_silence() { connection_->note_silence(*this); }

Http2Connection::Http2Connection(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers, std::shared_ptr<ReadBuffer> buffer,
                                 std::shared_ptr<MemoryAccount> memory, Stream connected)
    : is_loopback(connected.is_peer_loopback()), is_near(connected.is_peer_near()), executor_(std::move(executor)),
      timers_(std::move(timers)), buffer_(std::move(buffer)), memory_(std::move(memory)), stream_(std::move(connected)),
      client_({}, *this, timers_->now()), heard_(timers_->now()) {}

Http2Connection::~Http2Connection() { clear_and_wipe(out_); }

// Calls `call(*this, arguments…)` later, unless the connection is destroyed before.
template <class Call>
auto Http2Connection::later(Call call) {
  return [weak = weak_from_this(), call](auto... arguments) {
    if (const std::shared_ptr<Http2Connection> self = weak.lock()) call(*self, arguments...);
  };
}

std::size_t Http2Connection::room() const noexcept {
  if (!stream_ || is_suspect_) return 0;
  const std::size_t max = std::min(client_.max_streams(), max_streams().value_or(expected_streams));
  const std::size_t used = slots + (client_.occupied() - client_.streams());
  return max > used ? max - used : 0;
}

bool Http2Connection::refresh() {
  if (!stream_ || is_in_use()) return is_usable();
  const std::shared_ptr<Http2Connection> self = shared_from_this();
  for (int i = 0; i < reads_in_turn && stream_ && read_once(); ++i) {
  }
  // Cancelled requests may have all its places, and a server that has nothing to answer is not heard again: another connection is better.
  const bool is_worn_out = stream_ && client_.occupied() > 0 && room() == 0;
  if (client_.is_ending() || is_worn_out) abandon();
  return is_usable();
}

void Http2Connection::abandon() noexcept {
  life_timer_.cancel();
  stream_.reset();
}

bool Http2Connection::begin(Http2Stream& stream, const HttpRequest& request, std::string_view user_agent) {
  if (!stream_ || !client_.begin(stream, request, user_agent)) return false;
  stream.was_begun_blindly_ = !client_.has_settings();
  stream.begun_ = stream.progress_ = timers_->now();
  if (client_.streams() == 1) heard_ = stream.begun_;
  flush_later();
  return true;
}

// Also when a suspended coroutine is destroyed together with its loop: then the socket is gone already.
void Http2Connection::forget(Http2Stream& stream) noexcept {
  const std::size_t before = client_.streams();
  client_.forget(stream);
  if (!stream_ || client_.streams() == before) return;
  flush_later();
}

// The peer may be gone: with other streams a PING finds out; without any the connection is not worth it.
void Http2Connection::note_silence(const Http2Stream& stream) {
  const bool is_alive = heard_ > stream.begun_ && saturating_difference(timers_->now(), heard_) < time_for_pong;
  if (!stream_ || is_suspect_ || is_alive) return;
  is_suspect_ = true;
  if (client_.streams() <= 1) {
    abandon();
    if (owner) owner->on_change(*this);
    return;
  }
  if (client_.open_pings() > 0) return;
  ping();
  set_life_timer();
}

void Http2Connection::ping() {
  client_.ping();
  pinged_ = timers_->now();
  flush_later();
}

// Content that is taken, but still lies in front of the rest, is charged as well.
bool Http2Connection::admits(Http2Answer& answer, std::size_t bytes) {
  auto& stream = static_cast<Http2Stream&>(answer);
  return !stream.is_in_pieces_ || stream.unread_.charge(bytes);
}

void Http2Connection::on_news(Http2Answer& answer, bool brings_forward) {
  auto& stream = static_cast<Http2Stream&>(answer);
  if (brings_forward) stream.progress_ = now_;
  if (stream.is_ready() && !stream.ready_hook_.is_linked()) ready_.push_back(stream);
}

// Requests of one turn of the loop are written at once.
void Http2Connection::flush_later() noexcept {
  if (std::exchange(is_flush_posted_, true)) return;
  asio::post(executor_, later([](Http2Connection& self) {
               self.is_flush_posted_ = false;
               self.flush();
             }));
}

void Http2Connection::flush() {
  if (stream_ && !is_wait_for_write_) write();
  settle();
}

// False: the connection is over.
bool Http2Connection::write() {
  for (;;) {
    if (written_ == out_.size()) {
      clear_and_wipe(out_);
      written_ = 0;
      client_.take(out_, written_at_once);
      if (out_.empty()) return true;
    }
    const IoResult result = stream_->write_some(std::span<const char>(out_).subspan(written_));
    switch (result.status) {
      case IoStatus::done: written_ += result.bytes; break;
      case IoStatus::want_read: return true;  // reading goes on, and writing after it
      case IoStatus::want_write:
        is_wait_for_write_ = true;
        stream_->socket().async_wait(asio::ip::tcp::socket::wait_write, later([](Http2Connection& self, std::error_code error) {
                                       self.is_wait_for_write_ = false;
                                       if (!error || self.is_in_use()) self.flush();
                                     }));
        return true;
      case IoStatus::closed:
      case IoStatus::failed: return true;  // the server may have said why: reading finds it, or the end
    }
  }
}

// False: there is nothing more to read now.
bool Http2Connection::read_once() {
  const std::span<char> buffer = buffer_->get();
  const IoResult result = stream_->read_some(buffer);
  switch (result.status) {
    case IoStatus::done: {
      now_ = heard_ = timers_->now();
      is_suspect_ = false;
      const bool goes_on = client_.put(std::string_view(buffer.data(), result.bytes), now_);
      wipe(buffer.data(), result.bytes);
      if (goes_on) return true;
      write();  // the reason, as far as it can be sent at once
      if (stream_) abandon();
      return false;
    }
    case IoStatus::want_read:
    case IoStatus::want_write: return false;
    case IoStatus::closed:
      lose(Failure(Errc::unreachable, "the connection was closed before the answer was whole").with_phase(Phase::response));
      return false;
    case IoStatus::failed: on_broken(result.error); return false;
  }
  return false;
}

void Http2Connection::on_readable(std::error_code) {
  is_wait_for_read_ = false;
  for (int i = 0; i < reads_in_turn && stream_ && is_in_use() && read_once(); ++i) {
  }
  wake_ready();
  flush();
}

void Http2Connection::on_broken(std::error_code error) {
  if (std::optional<Failure> alert = describe_alert(error)) return lose(std::move(alert->with_phase(Phase::response)));
  lose(Failure(Errc::unreachable, fmt::format("the connection broke before the answer was whole: {}", error.message()))
           .with_hint("the server, or a proxy or firewall in between, ended the connection: try again, and look into the server's log")
           .with_phase(Phase::response));
}

void Http2Connection::lose(Failure failure) {
  now_ = timers_->now();
  abandon();
  client_.end(failure);
}

// After anything has happened.
void Http2Connection::settle() {
  wake_ready();
  if (stream_ && (client_.is_over() || (is_suspect_ && !is_in_use()))) abandon();
  if (owner) owner->on_change(*this);
  update_waits();
}

// An exchange that is woken may begin another one here, or end this one.
void Http2Connection::wake_ready() {
  while (!ready_.empty()) {
    Http2Stream& stream = ready_.front();
    ready_.pop_front();
    if (std::exchange(stream.is_waiting_, false)) stream.on_ready_(stream.context_);
  }
}

void Http2Connection::update_waits() {
  if (!stream_) return;
  if (is_in_use()) {
    if (!is_wait_for_read_) wait_to_read();
    if (!life_timer_.is_set()) set_life_timer();
    return;
  }
  life_timer_.cancel();
  if (is_wait_for_read_ || is_wait_for_write_) stream_->cancel();
}

void Http2Connection::wait_to_read() {
  is_wait_for_read_ = true;
  const auto ready = [](Http2Connection& self, std::error_code error) { self.on_readable(error); };
  if (stream_->must_wait(asio::ip::tcp::socket::wait_read)) {
    stream_->socket().async_wait(asio::ip::tcp::socket::wait_read, later(ready));
  } else {
    asio::post(executor_, later([](Http2Connection& self) { self.on_readable({}); }));
  }
}

SteadyTime Http2Connection::life_due() const noexcept {
  if (client_.open_pings() == 0) return saturating_sum(heard_, silence_before_ping);
  return saturating_sum(std::max(heard_, pinged_), time_for_pong);
}

// What is heard does not set the timer again; the ring calculates the remaining time.
void Http2Connection::set_life_timer() {
  life_timer_.set(*timers_, life_due(), [](void* self) noexcept { static_cast<Http2Connection*>(self)->on_life_timer(); }, this);
}

void Http2Connection::on_life_timer() {
  const std::shared_ptr<Http2Connection> self = shared_from_this();
  const SteadyTime now = timers_->now();
  if (now < life_due()) return set_life_timer();
  if (client_.open_pings() == 0) {
    ping();
    return set_life_timer();
  }
  lose(Failure(Errc::unreachable, fmt::format("the server has said nothing for {} s, and did not answer a PING",
                                              std::chrono::duration_cast<std::chrono::seconds>(now - heard_).count()))
           .with_hint("the server, or the network on the way to it, is gone: look whether it still runs")
           .with_phase(Phase::response));
  settle();
}

}  // namespace rollcall
