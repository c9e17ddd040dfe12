// The reports of a union's children, merged into one.
#pragma once

#include <asio/awaitable.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/async_event.hpp"
#include "async/turns.hpp"
#include "call/runtime_impl.hpp"
#include "cluster/merge_status.hpp"
#include "readiness/dated_observer.hpp"
#include "readiness/rules/what_ends.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// Merges in steps. The arguments must outlive the await and must not change.
inline asio::awaitable<Result<ClusterStatus>> merge_in_turns(std::vector<const ClusterStatus*> parts,
                                                             const std::vector<std::string>& names) {
  StatusMerge merge(std::move(parts), names);
  while (merge.step(steps_a_turn)) co_await next_turn();
  co_return merge.take();
}

/// Merges the children's reports. Nothing is reported before all children have reported, since a part is not the whole cluster.
class MergedReports {
 public:
  MergedReports(StatusObserver& observer, std::vector<std::string> names)
      : observer_(observer), names_(std::move(names)), parts_(names_.size()), seen_(names_.size()) {
    for (std::size_t i = 0; i < parts_.size(); ++i) children_.emplace_back(*this, i);
  }
  StatusObserver& child(std::size_t i) { return children_[i]; }

  /// Reports all changes since the last report at once: a round of polls brings the answers of thousands of parts.
  asio::awaitable<Result<void>> publish(TimerQueue& timers) {
    SteadyTime not_before{};
    for (;;) {
      if (!is_dirty_) {
        const bool is_awake = co_await news_.wait();
        if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following parts");
        continue;
      }
      if (timers.now() < not_before) {
        const bool is_awake = co_await sleep_until(timers, not_before);
        if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following parts");
      }
      is_dirty_ = false;
      if (known_ < parts_.size()) continue;
      const std::vector<std::shared_ptr<const ClusterStatus>> kept = parts_;  // keeps the parts unchanged while new reports arrive
      std::vector<const ClusterStatus*> pointers;
      pointers.reserve(kept.size());
      for (const auto& part : kept) pointers.push_back(part.get());
      Result<ClusterStatus> merged = co_await merge_in_turns(std::move(pointers), names_);
      conflict_.reset();
      if (!merged) {
        observer_.report_trouble(conflict_.emplace(merged.error()));
        continue;
      }
      // A merge takes time for each member, so the pause between two reports grows with their number.
      not_before = timers.now() + std::chrono::milliseconds(std::min<std::size_t>(merged->members.size() / 250, 1000));
      report_oldest_seen();
      observer_.report(std::move(*merged));
      // A report clears the trouble, so the trouble of a part that cannot be asked is reported again.
      if (!troubles_.empty()) observer_.report_trouble(troubles_.begin()->second);
    }
  }

  /// Ends with the conflict between parts if it persists after all parts have been asked several times.
  asio::awaitable<Result<void>> lasting_conflict() {
    while (!conflict_ || unchanged_ < max_unchanged()) {  // the conflict may be resolved before this coroutine resumes
      const bool is_awake = co_await lasting_.wait();
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following parts");
    }
    co_return *conflict_;
  }

 private:
  class Child final : public DatedObserver {
   public:
    Child(MergedReports& parent, std::size_t number) : parent_(parent), number_(number) {}
    void report(ClusterStatus status) override { parent_.take(number_, std::move(status)); }
    void take_seen(const Seen& seen) override { parent_.seen_[number_] = seen; }
    void report_trouble(const Failure& failure) override {
      parent_.troubles_.insert_or_assign(number_, failure);
      parent_.report_oldest_seen();
      parent_.observer_.report_trouble(failure);
    }
    void report_notice(const Notice& notice) override { parent_.observer_.report_notice(notice); }
    // The whole cluster has not been seen before all parts have been, but this part may have existed before.
    bool waits_for_existence() const override {
      return parent_.observer_.waits_for_existence() || (waits_for_return() && parent_.parts_[number_] != nullptr);
    }
    bool waits_for_return() const override { return parent_.observer_.waits_for_return(); }

   private:
    MergedReports& parent_;
    std::size_t number_;
  };

  std::size_t max_unchanged() const { return max_unconfirmed * parts_.size(); }

  // The age of polled parts is limited by the follower. Of the other parts the oldest counts.
  void report_oldest_seen() {
    std::optional<Seen> oldest;
    const auto count = [this, &oldest](std::size_t number) {
      const std::optional<Seen>& seen = seen_[number];
      if (seen && (!oldest || seen->end() < oldest->end())) oldest = seen;
    };
    for (const auto& [number, failure] : troubles_) count(number);
    for (std::size_t i = 0; troubles_.empty() && i < seen_.size(); ++i) count(i);
    if (oldest) report_seen(observer_, *oldest);
  }

  void take(std::size_t number, ClusterStatus status) {
    const bool had_trouble = troubles_.erase(number) > 0;
    std::shared_ptr<const ClusterStatus>& part = parts_[number];
    if (part && *part == status) {
      if (conflict_ && ++unchanged_ == max_unchanged()) lasting_.wake();
      if (!had_trouble) return;  // few of a thousand parts change at a time
    } else {
      unchanged_ = 0;
      if (!part) ++known_;
      part = std::make_shared<const ClusterStatus>(std::move(status));
    }
    is_dirty_ = true;
    if (known_ == parts_.size()) news_.wake();
  }

  StatusObserver& observer_;
  std::vector<std::string> names_;
  std::vector<std::shared_ptr<const ClusterStatus>> parts_;
  std::vector<std::optional<Seen>> seen_;  // the last confirmation of each part
  std::size_t known_ = 0;  // the number of parts that have reported
  std::deque<Child> children_;
  std::map<std::size_t, Failure> troubles_;  // of the children that failed last
  std::optional<Failure> conflict_;          // between the parts of the last merge
  std::size_t unchanged_ = 0;                // answers since the last change
  bool is_dirty_ = false;                    // something has changed since the last report
  AsyncEvent news_;
  AsyncEvent lasting_;
};

}  // namespace rollcall
