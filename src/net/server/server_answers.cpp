// How a connection of the HTTP server sends answers, and detects meanwhile that the client has gone.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <asio/post.hpp>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/saturating.hpp"
#include "net/server/server_connection.hpp"
#include "rollcall/secret.hpp"

namespace rollcall {

using asio::ip::tcp;

namespace {

// The unsent rest of some pieces.
class Unsent {
 public:
  explicit Unsent(std::span<const std::string_view> pieces) {
    assert(pieces.size() <= pieces_.size());
    for (const std::string_view piece : pieces) {
      if (!piece.empty()) pieces_[count_++] = piece;
    }
  }
  std::size_t size() const noexcept {
    std::size_t bytes = 0;
    for (const std::string_view piece : rest()) bytes += piece.size();
    return bytes;
  }
  std::span<const std::string_view> rest() const noexcept { return std::span(pieces_).subspan(first_, count_ - first_); }
  void take(std::size_t bytes) noexcept {
    while (first_ < count_ && bytes >= pieces_[first_].size()) bytes -= pieces_[first_++].size();
    if (first_ < count_) pieces_[first_].remove_prefix(bytes);
  }

 private:
  std::array<std::string_view, 3> pieces_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

// For a slow reader some of the bytes are in the kernel and none here: the limit counts from the last progress. The whole answer has a
// limit of its own, or a client that reads single bytes now and then would hold an answer forever.
asio::awaitable<bool> ServerConnection::send(std::span<const std::string_view> pieces) {
  Unsent unsent(pieces);
  bool is_sent = !is_closed();
  std::optional<SteadyTime> end;
  while (is_sent && !unsent.rest().empty()) {
    const IoResult result = stream_.write_some(unsent.rest());
    unsent.take(result.bytes);
    if (result.status == IoStatus::done) continue;
    is_sent = result.status == IoStatus::want_read || result.status == IoStatus::want_write;
    if (!is_sent) break;
    const auto what = result.status == IoStatus::want_read ? tcp::socket::wait_read : tcp::socket::wait_write;
    if (!end) end = end_of_sending(unsent.size());
    const Duration bound = end ? std::min(shared_->limits.write_time, *end - shared_->timers->now()) : shared_->limits.write_time;
    is_sent = !end || bound > Duration::zero();
    if (!is_sent) break;
    arm(bound);
    std::error_code failed;
    co_await stream_.wait(what, failed);
    is_sent = !must_end(failed);
    disarm();
  }
  if (!is_sent) drop();
  co_return is_sent;
}

std::optional<SteadyTime> ServerConnection::end_of_sending(std::size_t bytes) const noexcept {
  const ServerLimits& limits = shared_->limits;
  if (!shared_->timers || limits.slowest_reader == 0) return std::nullopt;
  const auto seconds = std::chrono::seconds(bytes / limits.slowest_reader);
  return saturating_sum(shared_->timers->now(), limits.write_time + seconds);
}

asio::awaitable<bool> ServerConnection::wait_writable() {
  if (is_closed() || !stream_.is_open()) co_return false;
  pollfd socket{.fd = stream_.socket().native_handle(), .events = POLLOUT, .revents = 0};
  if (::poll(&socket, 1, 0) == 1) co_return true;
  arm(shared_->limits.write_time);
  std::error_code failed;
  co_await stream_.wait(tcp::socket::wait_write, failed);
  const bool may_write = !must_end(failed);
  disarm();
  if (!may_write) drop();
  co_return may_write && !is_closed();
}

SendingTimes ServerConnection::sending_times() {
  // Microseconds at 168 and 176 of the kernel's tcp_info, from Linux 4.10 on. The system's header ends before them, and Linux's own header
  // cannot be included beside it.
  constexpr std::size_t busy_at = 168 / sizeof(std::uint64_t);
  std::array<std::uint64_t, busy_at + 2> info{};
  socklen_t size = sizeof info;
  const bool is_known = ::getsockopt(stream_.socket().native_handle(), IPPROTO_TCP, TCP_INFO, info.data(), &size) == 0;
  SendingTimes times;
  if (!is_known || size < sizeof info) return times;
  times.busy = std::chrono::microseconds(info[busy_at]);
  times.by_receiver = std::chrono::microseconds(info[busy_at + 1]);
  return times;
}

// Nothing more is sent to the client, including data that the kernel still holds for it.
void ServerConnection::drop() noexcept {
  end_with_this_answer();
  stream_.reset();
  stream_.close();
  note_closed();
}

void ServerConnection::on_watched() {
  if (std::exchange(is_watched_, true)) return;
  watch();
}

// A plain handler instead of a coroutine: it waits for each of ten thousand clients of a stream.
void ServerConnection::watch() {
  auto on_event = [self = std::static_pointer_cast<ServerConnection>(shared_from_this()), number = ++watch_](std::error_code error) {
    if (!error) self->on_readable(number);
  };
  if (stream_.must_wait(tcp::socket::wait_read)) return stream_.socket().async_wait(tcp::socket::wait_read, std::move(on_event));
  asio::post(stream_.socket().get_executor(), [on_event = std::move(on_event)] { on_event({}); });
}

void ServerConnection::unwatch() {
  if (!std::exchange(is_watched_, false)) return;
  ++watch_;
  stream_.cancel();
}

// Data that arrives while a request is answered is the next request, unless it exceeds the limit.
void ServerConnection::on_readable(std::uint64_t number) {
  if (!is_watched_ || number != watch_ || !stream_.is_open()) return;
  std::vector<char>& buffer = shared_->read_buffer;
  const IoResult result = stream_.read_some(buffer);
  bool goes_on = result.status == IoStatus::want_read || result.status == IoStatus::want_write;
  if (result.status == IoStatus::done) {
    keep(std::string_view(buffer.data(), result.bytes));
    wipe(buffer.data(), result.bytes);
    goes_on = input_.size() <= shared_->limits.head_bytes;
  }
  if (goes_on) return watch();
  end_with_this_answer();
  note_closed();
}

}  // namespace rollcall
