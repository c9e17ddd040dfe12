#include "net/socket/dial_step.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

#include "base/saturating.hpp"

namespace rollcall {
namespace {

Errc timeout_of(Phase phase) noexcept {
  switch (phase) {
    case Phase::resolve: return Errc::resolve_timeout;
    case Phase::connect: return Errc::connect_timeout;
    case Phase::handshake: return Errc::handshake_timeout;
    case Phase::response: return Errc::response_timeout;
    case Phase::none:
    case Phase::overall: return Errc::deadline_exceeded;
  }
  return Errc::deadline_exceeded;
}

}  // namespace

void DialStep::begin(Phase phase, Duration timeout) {
  end();
  phase_ = phase;
  timeout_ = timeout;
  has_rung_ = false;
  if (options_.observer && phase != Phase::overall) options_.observer->phase_started(phase);
  const SteadyTime now = timers_.now();
  const Duration left = timeout - std::min(waited_, timeout / 4);
  const bool has_timeout = timeout > Duration::zero() && left < saturating_difference(options_.deadline, now);
  is_deadline_ = !has_timeout;
  const SteadyTime until = has_timeout ? saturating_sum(now, left) : options_.deadline;
  if (until <= now) {
    has_rung_ = true;
    return;
  }
  timer_.set(timers_, until, [](void* self) noexcept { static_cast<DialStep*>(self)->on_ring(); }, this);
}

void DialStep::end() noexcept {
  timer_.cancel();
  if (phase_ == Phase::none) return;
  if (options_.observer && phase_ != Phase::overall) options_.observer->phase_finished(phase_);
  phase_ = Phase::none;
}

void DialStep::on_ring() noexcept {
  has_rung_ = true;
  std::error_code ignored;
  if (socket_) socket_->cancel(ignored);
  event_.wake();
}

Failure DialStep::why_stopped(const std::string& doing) const {
  Errc code = Errc::cancelled;  // also when the time is over in the same turn
  std::string what = fmt::format("{} was cancelled", doing);
  if (has_rung_ && !is_cancelled()) {
    code = is_deadline_ ? Errc::deadline_exceeded : timeout_of(phase_);
    what = is_deadline_ ? fmt::format("{} was not done when the deadline passed", doing)
                        : fmt::format("{} took longer than {}", doing, std::chrono::duration_cast<std::chrono::duration<double>>(timeout_));
  }
  return Failure(code, std::move(what)).with_phase(phase_);
}

asio::awaitable<bool> DialStep::pause() {
  if (must_stop()) co_return false;
  const bool is_woken = co_await event_.wait();
  co_return is_woken && !must_stop();
}

asio::awaitable<bool> DialStep::wait(asio::ip::tcp::socket& socket, asio::ip::tcp::socket::wait_type what) {
  if (must_stop()) co_return false;
  socket_ = &socket;
  std::error_code ignored;  // a broken socket fails at the next read or write
  co_await socket.async_wait(what, asio::redirect_error(asio::use_awaitable, ignored));
  socket_ = nullptr;
  co_return !must_stop();
}

}  // namespace rollcall
