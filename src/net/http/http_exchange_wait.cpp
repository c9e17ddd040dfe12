// The waits of an exchange, and how it ends when they fail.
#include <fmt/format.h>

#include <asio/bind_executor.hpp>
#include <asio/post.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <exception>
#include <system_error>
#include <utility>

#include "async/spawn.hpp"
#include "base/exceptions.hpp"
#include "base/saturating.hpp"
#include "net/http/http_exchange.hpp"

namespace rollcall {

namespace {

asio::awaitable<void> dial_into(Dialer& dialer, const HttpRequest& request, const ExchangeOptions& options, Reach reach, Duration waited,
                                bool may_use_http2, std::unique_ptr<Result<Stream>>& result) {
  Result<Stream> dialled = co_await dialer.dial(request.url, options, request.access, reach, waited, may_use_http2);
  result = std::make_unique<Result<Stream>>(std::move(dialled));
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

}  // namespace

bool Exchange::try_advance(asio::cancellation_state state) {
  is_awaited_ = true;
  if (in_response_) arm(true);
  if (take_steps()) return true;
  if (state.cancelled() == asio::cancellation_type::none) return false;
  stop(Stop::cancelled);  // an observer may have stopped it: the next await would throw
  return take_steps();
}

// True: it has settled; false: it must wait.
bool Exchange::take_steps() {
  while (!is_settled()) {
    if (stop_ != Stop::none) {
      fail_stopped();
    } else if (must_wait()) {
      return false;
    } else {
      proceed({});
    }
  }
  timer_.cancel();
  is_awaited_ = false;
  return true;
}

// Not a coroutine. The frame is allocated first: nothing calls back an exchange whose frame could not be allocated.
asio::awaitable<void> Exchange::advance() {
  const auto cancel = [](void* self) {
    static_cast<Exchange*>(self)->stop(Stop::cancelled);
    static_cast<Exchange*>(self)->interrupt();
  };
  asio::awaitable<void> settled = settled_.wait_through(cancel, this);
  wait_for_step();
  return settled;
}

// The awaited event has occurred, or the wait was ended. Called by the loop: an exception is stored for the waiting coroutine.
void Exchange::resume(std::error_code error) noexcept {
  try {
    if (stop_ == Stop::none) proceed(error);
  } catch (...) {
    thrown_ = std::current_exception();
  }
  go_on();
}

void Exchange::resume_later() {
  asio::post(core_->executor, [this] { resume({}); });
}

void Exchange::go_on() noexcept {
  try {
    if (!thrown_ && !take_steps()) return wait_for_step();
  } catch (...) {
    thrown_ = std::current_exception();
  }
  if (thrown_) abandon();  // nothing may call back any more
  settled_.wake();
}

// Starts at once if there is room in this turn of the loop.
bool Exchange::must_wait() {
  switch (step_) {
    case Step::start:
    case Step::take: return !core_->steps->admits();
    case Step::read: return stream_ ? !stream_->is_ready() : connection().must_wait();
    default: return true;
  }
}

void Exchange::wait_for_step() {
  switch (step_) {
    case Step::start:
    case Step::take: return core_->steps->enter(ticket_);
    case Step::write:
    case Step::read:
      if (stream_) return stream_->wait();
      return connection().wait([this](std::error_code error) { resume(error); });
    case Step::turn: return resume_later();
    default: return;  // the pool calls
  }
}

void Exchange::proceed(std::error_code error) {
  if (error) return on_broken(error);
  switch (step_) {
    case Step::start: return start();
    case Step::lease:
      lease_ = std::move(wait_.lease);
      if (lease_) use_lease();
      return;
    case Step::write: return go_on_writing();
    case Step::read: step_ = Step::take; return;
    case Step::take: return read();
    case Step::turn: return take_turn();
    case Step::connect:
    case Step::finished: return;
  }
}

bool Exchange::needs_connection() {
  if (step_ == Step::connect && !thrown_ && stop_ != Stop::none) fail_stopped();
  return step_ == Step::connect && !thrown_;
}

asio::awaitable<void> Exchange::connect() {
  while (needs_connection()) {
    is_awaited_ = true;
    co_await dial();
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) stop(Stop::cancelled);
    stop_ == Stop::none ? after_dial() : fail_stopped();
    if (!try_advance(state)) co_await advance();
  }
}

// Dialling runs as a coroutine of its own, so that close() can cancel it as well as the caller. This one waits for it to end.
asio::awaitable<void> Exchange::dial() {
  const DialCount count(*core_->pool);
  if (options_.observer) options_.observer->connection_chosen(false);
  dialled_.reset();
  const Reach reach = reach_;
  const Duration waited = lease_.waited();
  const bool may_use_http2 = lease_.may_use_http2();
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(
      [this, reach, waited, may_use_http2](auto handler) {
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) slot.assign([this](asio::cancellation_type type) { dial_signal_.emit(type); });
        const auto executor = asio::get_associated_executor(handler, core_->executor);
        // A coroutine that is cancelled leaves `dialled_` empty, which after_dial() understands.
        auto done = asio::bind_executor(executor, [this, h = std::move(handler)](std::exception_ptr error) mutable {
          if (error) keep_dial_failure(std::move(error));
          h(std::exception_ptr());
        });
        spawn(core_->executor, dial_into(core_->dialer, *request_, options_, reach, waited, may_use_http2, dialled_), dial_signal_.slot(),
              std::move(done));
      },
      asio::use_awaitable);
}

void Exchange::keep_dial_failure(std::exception_ptr error) {
  Failure failure = failure_of_thrown(std::move(error), "connect");
  if (failure.code() != Errc::cancelled) dialled_ = std::make_unique<Result<Stream>>(std::move(failure));
}

void Exchange::after_dial() {
  const std::unique_ptr<Result<Stream>> dialled = std::move(dialled_);
  if (!dialled) return fail(Failure(Errc::cancelled, "the connection attempt was cancelled"), Phase::connect);
  if (*dialled) {
    const Protocol protocol = (*dialled)->protocol();
    if (protocol == Protocol::http2) return share(std::move(dialled->value()));
    if (!lease_.accepts_http1((*dialled)->has_chosen_protocol())) return start_over();
    lease_.note_protocol(protocol);
    lease_.set_connection(std::make_unique<Http1Connection>(std::move(dialled->value())));
    return use_connection(false);
  }
  const Failure failure = dialled->error();
  if (failure.code() == Errc::tls_failed && lease_.return_to_http2()) return start_over();
  fail(failure, failure.phase());
}

void Exchange::fail_stopped() {
  Phase phase = step_ == Step::start || step_ == Step::lease ? Phase::overall : Phase::response;
  Failure story;  // of the dial, which knows its phase and what it waited for
  if (step_ == Step::connect) {
    if (dialled_ && dialled_->has_error()) story = dialled_->error();
    phase = story.phase() == Phase::none ? Phase::connect : story.phase();
    dialled_.reset();
    if (stop_ == Stop::cancelled) lease_.pass_on_first_dial();
  }
  if (stream_ && (stop_ == Stop::silence || stop_ == Stop::deadline)) stream_->note_silence();
  Failure failure = failure_of_stop(stop_, phase, has_begun(), options_.response_timeout);
  if (!story.hint().empty()) failure.with_hint(story.hint());
  fail(std::move(failure), phase);
}

void Exchange::fail(Failure failure, Phase phase) {
  if (failure.target().empty()) failure.with_target(pieces_ && !pieces_->target.empty() ? pieces_->target : request_->url.without_query());
  if (failure.phase() == Phase::none) failure.with_phase(phase);
  failure_ = std::move(failure);
  timer_.cancel();
  leave_phase();
  step_ = Step::finished;
  leave_queues();
  wait_.lease.give_back(false);
  stream_.reset();
  lease_.give_back(false);
}

const std::optional<Failure>& Exchange::failure() const {
  if (thrown_) std::rethrow_exception(thrown_);
  return failure_;
}

void Exchange::abandon() noexcept {
  timer_.cancel();
  step_ = Step::finished;
  is_awaited_ = false;
  if (!failure_) failure_ = Failure(Errc::cancelled, "the request was cancelled");
  leave_queues();
  wait_.lease.give_back(false);
  stream_.reset();
  lease_.give_back(false);
}

void Exchange::close() {
  if (step_ == Step::finished) return;
  stop(Stop::closed);
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
  const SteadyTime since = stream_ ? std::max(progress_, stream_->progress()) : progress_;
  return std::min(options_.deadline, saturating_sum(since, options_.response_timeout));
}

// Progress does not set the timer again; the ring calculates the remaining time.
void Exchange::on_ring() noexcept {
  const SteadyTime now = core_->timers->now();
  if (now < due()) {
    timer_.set(*core_->timers, due(), [](void* self) noexcept { static_cast<Exchange*>(self)->on_ring(); }, this);
    return;
  }
  stop(now >= options_.deadline ? Stop::deadline : Stop::silence);
  interrupt();
}

// Ends the current wait; resume() or dial() then finds the reason.
void Exchange::interrupt() noexcept {
  if (lease_.connection()) connection().cancel();
  if (stream_ && stream_->stop_waiting()) return resume_later();
  if (step_ == Step::connect) return dial_signal_.emit(asio::cancellation_type::terminal);
  if (leave_queues()) resume_later();
}

bool Exchange::leave_queues() noexcept {
  const bool was_queued = ticket_.is_linked() || wait_.is_linked();
  if (ticket_.is_linked()) ticket_.unlink();
  if (wait_.is_linked()) wait_.unlink();
  return was_queued;
}

}  // namespace rollcall
