// One replica of a service in the contest for the lease: asks the engine, and knows whether it leads.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <memory>
#include <optional>
#include <string>

#include "async/async_event.hpp"
#include "lease/lease.hpp"
#include "lease/rules/candidacy.hpp"

namespace rollcall::lease {

/// All calls on the Runtime's executor. The Runtime's clock must go on while the machine is suspended: sleepless_time().
class Elector : public std::enable_shared_from_this<Elector> {
 public:
  /// `id`: unique to this process. `ttl`: of min_ttl to max_ttl.
  Elector(const Runtime& runtime, std::shared_ptr<LeaseEngine> engine, std::string id, Duration ttl);
  Elector(const Elector&) = delete;
  Elector& operator=(const Elector&) = delete;

  /// Reads, takes and renews, until close().
  void start();
  /// The lease ends as if the process had been killed.
  void close();
  /// Written into the record.
  void serves_at(std::string url);

  /// True if this replica holds the lease, and its last good renewal began less than TTL - 2 s ago. Each time that it becomes true the
  /// epoch is a new one.
  bool leads() const { return candidacy_.leads(now()); }
  /// The holder as last read, which may be this replica; none: there is none, or nothing was read yet.
  std::optional<LeaseRecord> leader() const;
  /// The highest epoch seen: of the record, or by saw_epoch(). While this replica leads it is that of its taking.
  std::uint64_t epoch() const { return candidacy_.highest_epoch(); }
  /// A record of this epoch came from a peer: a replica that holds the lease with a smaller one leads no more.
  void saw_epoch(std::uint64_t epoch);
  /// Woken when leads(), leader(), epoch() or the presence of trouble() has changed. One coroutine may wait.
  AsyncEvent& changed() { return changed_; }
  /// Before the service ends: leads no more, releases the lease, so that the first replica to take it leads, and takes it no more. Suspends
  /// until that is written, 3 s at most.
  asio::awaitable<void> release();
  /// Why the engine cannot be asked, and since when; empty: it can.
  std::string trouble() const;

 private:
  asio::awaitable<Result<void>> run();
  asio::awaitable<void> read();
  asio::awaitable<void> write(Candidacy::Step step);
  void on_failure(const Failure& failure);
  void note_changes();
  SteadyTime now() const;
  CallOptions question_options() const;

  class Trouble {
   public:
    Trouble(std::string text, SteadyTime from) : what(std::move(text)), since(from) {}
    std::string what;
    SteadyTime since;
  };

  // What a wake of changed() is about.
  class Shown {
   public:
    bool leads = false;
    bool has_trouble = false;
    std::uint64_t epoch = 0;
    std::string holder;
    std::string url;
    friend bool operator==(const Shown&, const Shown&) = default;
  };

  const std::shared_ptr<Runtime::Impl> runtime_;
  const std::shared_ptr<LeaseEngine> engine_;
  const Duration patience_;
  Candidacy candidacy_;
  std::optional<Trouble> trouble_;
  asio::cancellation_signal signal_;
  bool is_closed_ = false;
  Timer lead_over_;
  AsyncEvent news_;  // for run()
  AsyncEvent left_;  // for release()
  AsyncEvent changed_;  // for the user
  Shown shown_;  // as of the last changed_.wake()
};

}  // namespace rollcall::lease
