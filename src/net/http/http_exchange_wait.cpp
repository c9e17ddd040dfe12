// What an exchange waits for, and how it ends when that does not come.
#include <fmt/format.h>

#include <asio/bind_executor.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <exception>
#include <system_error>

#include "async/spawn.hpp"
#include "base/saturating.hpp"
#include "net/http/http_exchange.hpp"
#include "net/socket/classify.hpp"

namespace rollcall {

namespace {

asio::awaitable<void> dial_into(Dialer& dialer, const HttpRequest& request, const ExchangeOptions& options, Reach reach,
                                std::optional<Result<Stream>>& result) {
  result.emplace(co_await dialer.dial(request.url, options, request.access, reach));
}

class DialCount {
 public:
  explicit DialCount(ConnectionPool& pool) : pool_(pool) { pool_.dial_started(); }
  DialCount(const DialCount&) = delete;
  DialCount& operator=(const DialCount&) = delete;
  ~DialCount() { pool_.dial_ended(); }

 private:
  ConnectionPool& pool_;
};

bool is_set(asio::cancellation_type type) noexcept { return type != asio::cancellation_type::none; }

}  // namespace

asio::awaitable<void> Exchange::advance() {
  is_awaited_ = true;
  if (in_response_) arm(true);
  while (!is_settled()) {
    switch (step_) {
      case Step::start: {
        if (!core_->steps->admits()) co_await admission();
        const auto state = co_await asio::this_coro::cancellation_state;
        if (may_go_on({}, is_set(state.cancelled()), Phase::overall)) start();
        break;
      }
      case Step::lease: {
        co_await wait_.waiter.wait();
        const auto state = co_await asio::this_coro::cancellation_state;
        lease_ = std::move(wait_.lease);
        if (may_go_on({}, is_set(state.cancelled()), Phase::overall) && lease_) use_lease();
        break;
      }
      case Step::connect: {
        co_await dial();
        const auto state = co_await asio::this_coro::cancellation_state;
        after_dial(is_set(state.cancelled()));
        break;
      }
      case Step::write: {
        std::error_code error;
        co_await stream().wait(wait_for_, error);
        const auto state = co_await asio::this_coro::cancellation_state;
        if (may_go_on(error, is_set(state.cancelled()), Phase::response)) write();
        break;
      }
      case Step::read: {
        std::error_code error;
        if (stream().must_wait(wait_for_)) co_await stream().wait(wait_for_, error);
        if (!error && !core_->steps->admits()) co_await admission();
        const auto state = co_await asio::this_coro::cancellation_state;
        if (may_go_on(error, is_set(state.cancelled()), Phase::response)) read();
        break;
      }
      case Step::turn: {
        co_await next_turn();
        const auto state = co_await asio::this_coro::cancellation_state;
        if (may_go_on({}, is_set(state.cancelled()), Phase::response)) take_turn();
        break;
      }
      case Step::finished: break;
    }
  }
  timer_.cancel();
  is_awaited_ = false;
}

// Until this turn of the loop has room for it, or it must end.
asio::awaitable<void> Exchange::admission() {
  LoopThrottle::Ticket ticket(wait_.waiter);
  core_->steps->enter(ticket);
  while (!ticket.is_granted()) {
    const bool is_awake = co_await wait_.waiter.wait();
    if (!is_awake || is_expired_ || is_closed_) co_return;
  }
}

// Dialling runs as a coroutine of its own, so that close() can cancel it as well as the caller. This one waits for it to end.
asio::awaitable<void> Exchange::dial() {
  const DialCount count(*core_->pool);
  if (options_.observer) options_.observer->connection_chosen(false);
  dialled_.reset();
  const Reach reach = needs_loopback_ ? Reach::this_machine : Reach::anywhere;
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(
      [this, reach](auto handler) {
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) slot.assign([this](asio::cancellation_type type) { dial_signal_.emit(type); });
        const auto executor = asio::get_associated_executor(handler, core_->executor);
        // A coroutine that is cancelled leaves `dialled_` empty, which after_dial() understands.
        auto done = asio::bind_executor(executor, [this, h = std::move(handler)](std::exception_ptr error) mutable {
          if (error) keep_dial_failure(std::move(error));
          h(std::exception_ptr());
        });
        spawn(core_->executor, dial_into(core_->dialer, *request_, options_, reach, dialled_), dial_signal_.slot(), std::move(done));
      },
      asio::use_awaitable);
}

void Exchange::keep_dial_failure(std::exception_ptr error) {
  Failure failure = failure_of_thrown(std::move(error), "connect");
  if (failure.code() != Errc::cancelled) dialled_.emplace(std::move(failure));
}

void Exchange::after_dial(bool is_cancelled) {
  if (is_cancelled || is_closed_ || is_expired_ || !dialled_) {
    // The dial knows how far it came, and what it waited for.
    Failure story;
    if (dialled_ && dialled_->has_error()) story = dialled_->error();
    const Phase phase = story.phase() == Phase::none ? Phase::connect : story.phase();
    dialled_.reset();
    may_go_on(asio::error::operation_aborted, is_cancelled, phase);
    if (!failure_) fail(Failure(Errc::cancelled, "the connection attempt was cancelled"), phase);
    if (failure_->hint().empty()) failure_->with_hint(story.hint());
    return;
  }
  if (*dialled_) {
    lease_.set_connection(std::make_unique<Connection>(std::move(dialled_->value())));
    dialled_.reset();
    return use_connection(false);
  }
  const Failure failure = dialled_->error();
  dialled_.reset();
  fail(failure, failure.phase());
}

bool Exchange::may_go_on(std::error_code error, bool is_cancelled, Phase phase) {
  const bool is_interrupted = is_cancelled || is_closed_ || is_expired_;
  if (!is_interrupted && !error) return true;
  if (!is_interrupted) {
    on_broken(error);
    return false;
  }
  const Errc code = classify_end(error ? error : asio::error::operation_aborted, is_cancelled || is_closed_, is_deadline_passed_, phase,
                                 is_expired_ && !is_deadline_passed_);
  const bool is_silent = phase == Phase::response;
  switch (code) {
    case Errc::deadline_exceeded:
      fail(Failure(code, is_silent ? "the deadline passed before the answer was whole"
                                   : "the deadline passed while waiting for a free connection"),
           phase);
      break;
    case Errc::response_timeout:
      fail(Failure(code, fmt::format("the server {} for {:.2g} s", received_ ? "stopped answering" : "did not answer",
                                     std::chrono::duration<double>(options_.response_timeout).count())),
           phase);
      break;
    default: fail(Failure(code, is_closed_ ? "the transport was closed" : "the request was cancelled"), phase);
  }
  return false;
}

void Exchange::fail(Failure failure, Phase phase) {
  if (failure.target().empty()) failure.with_target(target_.empty() ? request_->url.without_query() : target_);
  if (failure.phase() == Phase::none) failure.with_phase(phase);
  failure_ = std::move(failure);
  timer_.cancel();
  leave_phase();
  step_ = Step::finished;
  if (wait_.is_linked()) wait_.unlink();
  lease_.give_back(false);
}

void Exchange::abandon() noexcept {
  timer_.cancel();
  step_ = Step::finished;
  is_awaited_ = false;
  if (!failure_) failure_ = Failure(Errc::cancelled, "the request was cancelled");
  if (wait_.is_linked()) wait_.unlink();
  wait_.lease.give_back(false);
  lease_.give_back(false);
}

void Exchange::close() {
  if (step_ == Step::finished) return;
  is_closed_ = true;
  if (is_awaited_) return interrupt();
  fail(Failure(Errc::cancelled, "the transport was closed"), Phase::response);
}

void Exchange::leave_phase() noexcept {
  if (is_phase_open_) options_.observer->phase_finished(Phase::response);
  is_phase_open_ = false;
}

void Exchange::arm(bool in_response) {
  in_response_ = in_response;
  progress_ = core_->timers->now();
  timer_.set(*core_->timers, due(), [](void* self) noexcept { static_cast<Exchange*>(self)->on_ring(); }, this);
}

SteadyTime Exchange::due() const noexcept {
  if (!in_response_ || options_.response_timeout <= Duration::zero()) return options_.deadline;
  return std::min(options_.deadline, saturating_sum(progress_, options_.response_timeout));
}

// Progress does not set the timer again; the ring finds out how much longer there is to wait.
void Exchange::on_ring() noexcept {
  const SteadyTime now = core_->timers->now();
  if (now < due()) {
    timer_.set(*core_->timers, due(), [](void* self) noexcept { static_cast<Exchange*>(self)->on_ring(); }, this);
    return;
  }
  is_expired_ = true;
  is_deadline_passed_ = now >= options_.deadline;
  interrupt();
}

void Exchange::interrupt() noexcept {
  if (lease_.connection()) stream().cancel();
  if (step_ == Step::connect) dial_signal_.emit(asio::cancellation_type::terminal);
  wait_.waiter.wake();
}

}  // namespace rollcall
