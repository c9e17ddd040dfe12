// What a follower reports, kept until a reader looks: only the latest counts, so nothing grows.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "async/async_event.hpp"
#include "readiness/dated_observer.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// Whether what does not exist is waited for.
enum class Existence {
  required,       ///< no
  waited_for,
  once_seen,      ///< when it has been seen before: it may come back
};

class LatestStatus final : public DatedObserver {
 public:
  explicit LatestStatus(Existence existence) : existence_(existence) {}

  void report(ClusterStatus status) override;
  void take_seen(const Seen& seen) override { seen_ = seen; }
  void report_trouble(const Failure& failure) override;
  void report_notice(const Notice& notice) override;
  bool waits_for_existence() const override { return existence_ == Existence::waited_for || (waits_for_return() && has_seen_); }
  bool waits_for_return() const override { return existence_ == Existence::once_seen; }

  /// Suspends until something was reported since the last call. False: cancelled, or until `when`, then true.
  asio::awaitable<bool> wait(TimerQueue& timers, SteadyTime when);

  /// The latest report, unless it was taken before: a cluster may be large, hence nobody copies it.
  std::optional<ClusterStatus> take() { return std::exchange(latest_, std::nullopt); }
  /// Of the last question; empty when it was answered.
  const std::string& trouble() const { return trouble_; }
  /// What to do about it, where more time is no cure; may be empty.
  const std::string& trouble_hint() const { return trouble_hint_; }
  /// Of the latest report; none: nobody said.
  const std::optional<Seen>& seen() const { return seen_; }
  /// True if the latest report is too old, and cannot be seen anew at present: nothing is ready by it.
  bool is_too_old(SteadyTime now) const { return !trouble_.empty() && seen_ && now > seen_->end(); }
  /// Those reported since they were last taken; at most a thousand, the oldest go first.
  std::vector<Notice> take_notices() { return std::exchange(notices_, {}); }
  /// Ends a wait() as a report does.
  void wake();

 private:
  Existence existence_;
  std::optional<ClusterStatus> latest_;
  bool has_seen_ = false;
  std::optional<Seen> seen_;
  std::string trouble_;
  std::string trouble_hint_;
  std::vector<Notice> notices_;
  AsyncEvent* reader_ = nullptr;
  bool has_news_ = false;
};

// Statuses of clusters of any size, without holding the loop.

/// Whether they are equal. Both must outlive the await and stay as they are.
asio::awaitable<bool> is_same_status(const ClusterStatus& a, const ClusterStatus& b);

/// Puts `next` in the place of `status`, whose members are then freed.
asio::awaitable<void> replace_status(ClusterStatus& status, ClusterStatus next);

}  // namespace rollcall
