// The server without sockets: an HttpTransport over a Cloud.
#pragma once

#include <asio/awaitable.hpp>
#include <map>
#include <optional>
#include <set>

#include "async/async_event.hpp"
#include "async/timer_queue.hpp"
#include "rollcall/sim/memory.hpp"

namespace rollcall::sim {

class CloudTransport final : public MemoryTransport, public std::enable_shared_from_this<CloudTransport> {
 public:
  CloudTransport(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimeSource> time, asio::any_io_executor executor);

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override;
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) override;
  void close() override;

  void fail_call(std::uint64_t number, Failure failure) override { failing_.insert_or_assign(calls_ + number, std::move(failure)); }
  std::uint64_t calls() const override { return calls_; }
  std::size_t in_flight() const override { return in_flight_; }
  const std::vector<Sent>& sent() const override { return sent_; }
  void record(bool on) override { is_recording_ = on; }

  /// The limits of one exchange.
  class Bounds {
   public:
    explicit Bounds(const ExchangeOptions& options, std::string exchange_target)
        : deadline(options.deadline), silence(options.response_timeout), max_body_bytes(options.max_body_bytes),
          target(std::move(exchange_target)) {}
    SteadyTime deadline;
    Duration silence;
    std::size_t max_body_bytes;
    std::string target;
  };

  /// Suspends until `when`, or until `event` is woken. An error if a limit is reached first, on cancellation, or at close().
  /// `heard_at` is the time of the peer's last activity.
  asio::awaitable<Result<void>> pause(AsyncEvent& event, SteadyTime when, SteadyTime heard_at, const Bounds& bounds);
  SteadyTime now() const { return timers_->now(); }
  /// The next piece of a continued answer.
  asio::awaitable<Result<Reply>> ask_more(Request request, Held held, SteadyTime heard_at, const Bounds& bounds);

  class Ticket {  // counts a request in flight
   public:
    explicit Ticket(std::shared_ptr<CloudTransport> owner) : owner_(std::move(owner)) { ++owner_->in_flight_; }
    ~Ticket() { --owner_->in_flight_; }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;
    CloudTransport& owner() const { return *owner_; }

   private:
    std::shared_ptr<CloudTransport> owner_;
  };

 private:
  asio::awaitable<Result<Reply>> ask(Request& request, const Bounds& bounds);
  void note(const HttpRequest& request);
  void choose_connection(const Url& url, ExchangeObserver* observer, bool is_refused);

  std::shared_ptr<Cloud> cloud_;
  std::shared_ptr<TimerQueue> timers_;
  std::uint64_t calls_ = 0;
  std::size_t in_flight_ = 0;
  bool is_closed_ = false;
  bool is_recording_ = false;
  std::map<std::uint64_t, Failure> failing_;
  std::vector<Sent> sent_;
  std::set<std::string> known_origins_;
  std::set<AsyncEvent*> waiting_;
};

/// The answer's body as changed by the reply's fault. `reply.fault` is none, stall, trickle, truncate, wrong_length,
/// corrupt or endless_body.
/// A continued answer asks with `request` again.
std::unique_ptr<HttpStream> make_memory_stream(std::unique_ptr<CloudTransport::Ticket> ticket, Request request, Reply reply,
                                               CloudTransport::Bounds bounds);

/// The whole body of `stream`, or its failure.
asio::awaitable<Result<HttpResponse>> whole_answer(Result<std::unique_ptr<HttpStream>> stream);

}  // namespace rollcall::sim
