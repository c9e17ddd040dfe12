// The latest report of a follower, kept until a reader takes it. Older reports are replaced, so the memory is bounded.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "async/async_event.hpp"
#include "readiness/dated_observer.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// The treatment of a cluster that does not exist.
enum class Existence {
  required,       ///< it is a failure
  waited_for,
  once_seen,      ///< it is waited for if the cluster existed before
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

  /// Suspends until a report since the last call, or until `when`. False if cancelled.
  asio::awaitable<bool> wait(TimerQueue& timers, SteadyTime when);

  /// The latest report, unless it was taken before. It is moved, since a cluster may be large.
  std::optional<ClusterStatus> take() { return std::exchange(latest_, std::nullopt); }
  /// The failure of the last request; empty if it succeeded.
  const std::string& trouble() const { return trouble_; }
  /// The hint of that failure if more time would not help; may be empty.
  const std::string& trouble_hint() const { return trouble_hint_; }
  /// The time of the latest report; none if the follower gives none.
  const std::optional<Seen>& seen() const { return seen_; }
  /// True if the latest report is too old and cannot be confirmed at present: then it makes nothing ready.
  bool is_too_old(SteadyTime now) const { return !trouble_.empty() && seen_ && now > seen_->end(); }
  /// The notices since the last call. At most a thousand are kept; the oldest are dropped first.
  std::vector<Notice> take_notices() { return std::exchange(notices_, {}); }
  /// Ends a wait(), as a report does.
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

// Functions for statuses of any size that yield to the event loop.

/// True if they are equal. Both must outlive the await and must not change.
asio::awaitable<bool> is_same_status(const ClusterStatus& a, const ClusterStatus& b);
/// The same, but for causes: a follower knows more of them than a poll.
asio::awaitable<bool> is_same_but_for_causes(const ClusterStatus& a, const ClusterStatus& b);

/// Replaces `status` by `next` and frees the old members.
asio::awaitable<void> replace_status(ClusterStatus& status, ClusterStatus next);

}  // namespace rollcall
