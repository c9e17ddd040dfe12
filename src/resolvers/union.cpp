#include "rollcall/union_resolver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "async/async_event.hpp"
#include "async/group.hpp"
#include "async/turns.hpp"
#include "async/with_background.hpp"
#include "call/runtime_impl.hpp"
#include "cluster/merge_status.hpp"
#include "readiness/dated_observer.hpp"
#include "readiness/fixed_members.hpp"
#include "readiness/follow.hpp"

namespace rollcall {
namespace {

// Upstream's Python treats "" and 0 as "not set".
std::optional<std::string> if_truthy(const std::optional<std::string>& value) { return value && !value->empty() ? value : std::nullopt; }

void emit_child_event(const Call& call, const ClusterResolver& child, const Result<ClusterSpec>& answer) {
  if (!impl_of(call).log) return;
  const Failure failure = answer ? Failure() : answer.error();
  const EventKind kind = answer ? EventKind::member_resolved : EventKind::member_failed;
  impl_of(call).emit({.kind = kind, .call = call.id(), .subject = child.describe(), .failure = answer ? nullptr : &failure});
}

// Writes to `spec`, which must outlive the await.
asio::awaitable<Result<void>> ask_child(std::shared_ptr<ClusterResolver> child, Call& call, ClusterSpec& spec) {
  Result<ClusterSpec> answer = co_await child->do_cluster_spec(call);
  emit_child_event(call, *child, answer);
  if (!answer) co_return answer.error();
  spec = std::move(*answer);
  co_return Result<void>();
}

// Merges in steps. The arguments must outlive the await and must not change.
asio::awaitable<Result<ClusterStatus>> merge_in_turns(std::vector<const ClusterStatus*> parts, const std::vector<std::string>& names) {
  StatusMerge merge(std::move(parts), names);
  while (merge.step(steps_a_turn)) co_await next_turn();
  co_return merge.take();
}

// Merges the children's reports. Nothing is reported before all children have reported, since a part is not the whole cluster.
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

class UnionResolver final : public ClusterResolver, public FixedMembers {
 public:
  UnionResolver(Runtime runtime, std::vector<std::shared_ptr<ClusterResolver>> children, UnionOptions options)
      : ClusterResolver(std::move(runtime)), children_(std::move(children)) {
    task_type_ = options.task_type();
    task_id_ = options.task_id();
    rpc_layer_ = options.rpc_layer();
  }

  std::string describe() const override { return fmt::format("union of {}", children_.size()); }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    const Result<void> usable = check();
    if (!usable) co_return usable.error();
    std::vector<ClusterSpec> specs(children_.size());
    const std::function<asio::awaitable<Result<void>>(std::size_t)> ask = [this, &call, &specs](std::size_t i) {
      return ask_child(children_[i], call, specs[i]);
    };
    const Result<void> asked = co_await join_bounded(specs.size(), at_a_time(call), ask, OnFailure::cancel_rest);
    if (!asked) co_return asked.error();
    co_return merge(specs);
  }

  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    const Result<void> usable = check();
    if (!usable) co_return usable.error();
    const std::function<asio::awaitable<Result<ClusterStatus>>(std::size_t)> ask = [this, &call](std::size_t i) {
      return children_[i]->do_cluster_status(call);
    };
    const Result<std::vector<ClusterStatus>> parts =
        co_await join_bounded<ClusterStatus>(children_.size(), at_a_time(call), ask, OnFailure::cancel_rest);
    if (!parts) co_return parts.error();
    std::vector<const ClusterStatus*> pointers;
    for (const ClusterStatus& part : *parts) pointers.push_back(&part);
    const std::vector<std::string> own_names = names();
    co_return co_await merge_in_turns(std::move(pointers), own_names);
  }

  bool has_fixed_members() const override { return all_have_fixed_members(children_); }

  bool supports_watch() const override { return true; }  // it follows its children itself

  asio::awaitable<Result<void>> do_follow(Call& call, StatusObserver& observer) override {
    const Result<void> usable = check();
    if (!usable) co_return usable.error();
    MergedReports parts(observer, names());
    std::vector<asio::awaitable<Result<void>>> followers;
    std::vector<Polled> polled;
    for (std::size_t i = 0; i < children_.size(); ++i) {
      if (children_[i]->supports_watch()) {
        followers.push_back(children_[i]->do_follow(call, parts.child(i)));
      } else {
        polled.emplace_back(*children_[i], parts.child(i));
      }
    }
    if (!polled.empty()) followers.push_back(follow_by_polling(call, std::move(polled)));
    followers.push_back(parts.publish(*impl_of(call).timers));
    asio::awaitable<Result<void>> all = join(std::move(followers));
    co_return co_await with_background(parts.lasting_conflict(), std::move(all));
  }

  asio::awaitable<Result<std::string>> do_master(Call& call, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override {
    const Result<void> usable = check();
    if (!usable) co_return usable.error();
    if (!task_type || !task_id) {
      co_return co_await children_.front()->do_master(call, {}, {}, rpc_layer);
    }
    Result<ClusterSpec> spec = co_await do_cluster_spec(call);
    if (!spec) co_return spec.error();
    Result<std::string> address = spec->task_address(*task_type, *task_id);
    if (!address) co_return address;
    co_return format_master_url(*address, rpc_layer && !rpc_layer->empty() ? rpc_layer : rpc_layer_);
  }

  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                 std::optional<int> task_id) override {
    const Result<void> usable = check();
    if (!usable) co_return usable.error();
    co_return co_await children_.front()->do_num_accelerators(call, task_type, task_id);
  }

  Result<std::optional<std::string>> do_task_type() const override {
    if (const auto own = if_truthy(task_type_)) return own;
    const Result<void> usable = check();
    if (!usable) return usable.error();
    return children_.front()->do_task_type();
  }
  Result<std::optional<int>> do_task_id() const override {
    if (task_id_ && *task_id_ != 0) return task_id_;
    const Result<void> usable = check();
    if (!usable) return usable.error();
    return children_.front()->do_task_id();
  }
  Result<std::optional<std::string>> do_rpc_layer() const override {
    if (const auto own = if_truthy(rpc_layer_)) return own;
    const Result<void> usable = check();
    if (!usable) return usable.error();
    return children_.front()->do_rpc_layer();
  }
  Result<std::optional<std::string>> do_environment() const override {
    const Result<void> usable = check();
    if (!usable) return usable.error();
    return children_.front()->do_environment();
  }

 private:
  // Children that may share a list run together. Others wait for the host's limit anyway, and each that has started takes memory.
  std::size_t at_a_time(const Call& call) const {
    return may_share_lists(call) ? children_.size() : impl_of(call).limits.requests_in_flight_per_host;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& child : children_) names.push_back(child->describe());
    return names;
  }

  Result<void> check() const {
    if (children_.empty()) return Failure(Errc::invalid_argument, "a union needs at least one resolver");
    if (std::find(children_.begin(), children_.end(), nullptr) == children_.end()) return Result<void>();
    return Failure(Errc::invalid_argument, "a union's child is no resolver (null)");
  }

  std::vector<std::shared_ptr<ClusterResolver>> children_;
};

}  // namespace

std::shared_ptr<ClusterResolver> make_union_resolver(Runtime runtime, std::vector<std::shared_ptr<ClusterResolver>> children,
                                                     UnionOptions options) {
  return std::make_shared<UnionResolver>(std::move(runtime), std::move(children), std::move(options));
}

}  // namespace rollcall
