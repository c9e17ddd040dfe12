// One piece of work for all callers that want its result at the same time. None of them owns it: a caller that is cancelled leaves, the
// work goes on for the other callers, and ends when the last one has left.
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

namespace rollcall {

/// Options for work that `call` waits for: its retries, and a little less than its time, so that the work's own story arrives
/// before the call ends.
inline CallOptions options_within(Call& call) {
  const Duration left = saturating_difference(call.deadline(), impl_of(call).time->now());
  CallOptions options = call.options();
  options.timeout(std::max<Duration>(left - std::min<Duration>(left / 20, std::chrono::milliseconds(100)), Duration(1)));
  return options;
}

template <class T>
class SingleFlight {
 public:
  /// Joins the work in progress or starts it: `script(Call&)` under a deadline of its own (`options`).
  template <class Script>
  asio::awaitable<Result<T>> run(std::shared_ptr<Runtime::Impl> runtime, CallOptions options, CallSubject subject, Script script) {
    std::shared_ptr<Flight> flight = current_.lock();
    if (!flight) {
      flight = std::make_shared<Flight>();
      current_ = flight;
      auto on_done = [flight](Result<T> result) {
        flight->result.emplace(std::move(result));
        for (Entry& entry : flight->entries) entry.waiter.wake();
      };
      spawn_result(runtime->executor, run_call<T>(runtime, std::move(options), std::move(subject), std::move(script)),
                   flight->signal.slot(), "the shared request was stopped", std::move(on_done));
    }
    if (!flight->result) {
      Entry entry(*flight);
      const bool woken = co_await entry.waiter.wait();
      if (!woken) {
        if (flight->entries.size() == 1 && !flight->result) {
          current_.reset();
          flight->signal.emit(asio::cancellation_type::terminal);
        }
        co_return Failure(Errc::cancelled, "cancelled while a shared request was in progress");
      }
    }
    if (current_.lock() == flight) current_.reset();
    co_return *flight->result;
  }

 private:
  struct Flight;
  struct Entry : boost::intrusive::list_base_hook<> {
    explicit Entry(Flight& f) : flight(f) { flight.entries.push_back(*this); }
    ~Entry() { flight.entries.erase(flight.entries.iterator_to(*this)); }
    Flight& flight;
    AsyncEvent waiter;
  };
  struct Flight {
    asio::cancellation_signal signal;
    std::optional<Result<T>> result;
    boost::intrusive::list<Entry> entries;
  };
  std::weak_ptr<Flight> current_;
};

}  // namespace rollcall
