// One piece of work for all callers that want its result at the same time. No caller owns it: when a caller is cancelled, the work goes on
// for the others, and ends when the last one has left.
//
// Decision: the deadline of the first caller does not apply to the work. Work has min_shared_time at least, so that a caller with little
// time does not end it for one with more. Each caller waits no longer than its own time allows. When the time of the last one is over the
// work goes on for linger_time, so that repeated callers with little time get its result in the end. Price: this is also how long it delays
// a loop that runs until it has nothing left to do; Runtime::close() ends it.
#pragma once

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <optional>

#include "async/async_event.hpp"
#include "async/spawn.hpp"
#include "base/exceptions.hpp"
#include "base/saturating.hpp"
#include "call/call_scope.hpp"
#include "call/deadline_failure.hpp"
#include "call/rules/classify_status.hpp"

namespace rollcall {

/// The minimum time of shared work, for all callers.
inline constexpr Duration min_shared_time = std::chrono::seconds(30);

/// How long it goes on when the time of its last caller is over.
inline constexpr Duration linger_time = std::chrono::seconds(5);

/// What happens to shared work when the time of all its callers is over. (When they are cancelled it ends.)
enum class WhenLeft {
  goes_on,  ///< others may need it
  ends,  ///< no other caller can use it
};

/// How long `call` waits for shared work: a little less than its time, so that the work's own failure arrives before the call ends.
inline Duration time_within(const Call& call) {
  const Duration left = saturating_difference(call.deadline(), impl_of(call).time->now());
  return std::max<Duration>(left - std::min<Duration>(left / 20, std::chrono::milliseconds(100)), Duration(1));
}

template <class T>
class SingleFlight {
 public:
  /// Joins the work in progress or starts it: `script(Call&)`, with the retries of the first call. Work that was ended by another caller's
  /// limits is started again. Errors: those of the work; deadline_exceeded when the call's time is over; cancelled.
  template <class Script>
  asio::awaitable<Result<T>> run(Call& call, CallSubject subject, Script script, WhenLeft when_left = WhenLeft::goes_on) {
    const std::shared_ptr<Runtime::Impl> runtime = impl_of(call).shared_from_this();
    const Duration own_time = time_within(call);
    const SteadyTime until = saturating_sum(runtime->time->now(), own_time);
    for (;;) {
      std::shared_ptr<Flight> flight = current_.lock();
      const bool has_begun = !flight;
      if (has_begun) {
        CallOptions options = call.options();
        options.timeout(when_left == WhenLeft::ends ? own_time : std::max(own_time, min_shared_time));
        flight = begin(runtime, std::move(options), subject, script, until);
      }
      const bool is_awake = co_await wait(flight, until, when_left);
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while a shared request was in progress");
      if (!flight->result) co_return late(*flight, subject, own_time);
      Result<T> result = *flight->result;
      const bool is_cut_short = !has_begun && result.has_error() && was_given_less(*flight, result.error(), call, until);
      if (!is_cut_short) co_return result;
    }
  }

  /// The same for callers without a deadline of their own: the work has that of `options`.
  template <class Script>
  asio::awaitable<Result<T>> run(std::shared_ptr<Runtime::Impl> runtime, CallOptions options, CallSubject subject, Script script) {
    std::shared_ptr<Flight> flight = current_.lock();
    if (!flight) flight = begin(std::move(runtime), std::move(options), std::move(subject), std::move(script), SteadyTime::max());
    const bool is_awake = co_await wait(flight, SteadyTime::max(), WhenLeft::ends);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while a shared request was in progress");
    co_return *flight->result;
  }

 private:
  struct Flight;
  struct Entry : boost::intrusive::list_base_hook<> {
    explicit Entry(Flight& f) : flight(f) { flight.entries.push_back(*this); }
    ~Entry() { flight.entries.erase(flight.entries.iterator_to(*this)); }
    Flight& flight;
    AsyncEvent event;
  };
  struct Flight {
    std::shared_ptr<Runtime::Impl> runtime;
    SteadyTime deadline{};
    int max_retries = 0;
    asio::cancellation_signal signal;
    std::optional<Result<T>> result;
    Call* work = nullptr;  // while it is running
    boost::intrusive::list<Entry> entries;
    Timer left;  // since the time of the last caller was over

    void stop() { signal.emit(asio::cancellation_type::terminal); }
    void linger() {
      const SteadyTime until = saturating_sum(runtime->time->now(), linger_time);
      left.set(*runtime->timers, until, [](void* flight) noexcept { static_cast<Flight*>(flight)->stop(); }, this);
    }
  };

  class UnderWay {
   public:
    UnderWay(Flight& flight, Call& work) : flight_(flight) { flight_.work = &work; }
    ~UnderWay() { flight_.work = nullptr; }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

   private:
    Flight& flight_;
  };

  template <class Script>
  static asio::awaitable<Result<T>> work(std::shared_ptr<Flight> flight, Script script, SteadyTime needed_by, Call& call) {
    const UnderWay under_way(*flight, call);
    // One attempt without an answer must not take all the time of the first caller.
    if (needed_by < call.deadline()) state_of(call).asked_again_until = needed_by;
    co_return co_await script(call);
  }

  template <class Script>
  std::shared_ptr<Flight> begin(std::shared_ptr<Runtime::Impl> runtime, CallOptions options, CallSubject subject, Script script,
                                SteadyTime needed_by) {
    auto flight = std::make_shared<Flight>();
    current_ = flight;
    flight->runtime = runtime;
    flight->deadline = saturating_sum(runtime->time->now(), options.timeout());
    flight->max_retries = options.retry().max_retries();
    auto on_done = [flight](Result<T> result) {
      flight->left.cancel();
      flight->result.emplace(std::move(result));
      for (Entry& entry : flight->entries) entry.event.wake();
    };
    auto working = [flight, script = std::move(script), needed_by](Call& call) { return work(flight, script, needed_by, call); };
    spawn_result(runtime->executor, run_call<T>(runtime, std::move(options), std::move(subject), std::move(working)), flight->signal.slot(),
                 "the shared request was stopped", std::move(on_done));
    return flight;
  }

  // Suspends until there is a result, or that time has come. False: cancelled.
  asio::awaitable<bool> wait(std::shared_ptr<Flight> flight, SteadyTime until, WhenLeft when_left) {
    if (!flight->result) {
      Entry entry(*flight);
      flight->left.cancel();
      const SteadyTime ends_at = until < flight->deadline ? until : SteadyTime::max();  // the work itself ends at its deadline
      const bool is_awake = co_await entry.event.wait_until(*flight->runtime->timers, ends_at);
      const bool is_last = flight->entries.size() == 1 && !flight->result;
      const bool is_lingering = is_awake && when_left == WhenLeft::goes_on;
      if (is_last && is_lingering) flight->linger();
      if (is_last && !is_lingering) {
        forget(flight);
        flight->stop();
      }
      if (!is_awake) co_return false;
    }
    if (flight->result) forget(flight);
    co_return true;
  }

  void forget(const std::shared_ptr<Flight>& flight) {
    if (current_.lock() == flight) current_.reset();
  }

  // The caller's own failure, with the work's last failure so far.
  static Failure late(const Flight& flight, const CallSubject& subject, Duration own_time) {
    const CallState none;
    const CallState& state = flight.work ? state_of(*flight.work) : none;
    Failure failure = deadline_failure(state, subject.text(), own_time);
    failure.with_phase(state.current_phase).with_target(state.current_target).with_attempts(state.attempts);
    failure.with_last_status(state.last_status).with_elapsed(own_time);
    return failure;
  }

  static bool was_given_less(const Flight& flight, const Failure& failure, const Call& call, SteadyTime until) {
    if (flight.runtime->time->now() >= until) return false;
    const bool had_less_time = is_timeout(failure.code()) && flight.deadline < until;
    const bool had_less_retries = is_transient(failure.code()) && flight.max_retries < call.options().retry().max_retries();
    return had_less_time || had_less_retries;
  }

  std::weak_ptr<Flight> current_;
};

}  // namespace rollcall
