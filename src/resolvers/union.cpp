#include "rollcall/union_resolver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "async/group.hpp"
#include "async/with_background.hpp"
#include "call/runtime_impl.hpp"
#include "readiness/fixed_members.hpp"
#include "readiness/follow.hpp"
#include "resolvers/merged_reports.hpp"

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
    Result<ExplainedStatus> all = co_await merge_children(call, false);
    if (!all) co_return all.error();
    co_return std::move(all->status);
  }
  asio::awaitable<Result<ExplainedStatus>> do_explained_status(Call& call) override { return merge_children(call, true); }

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

  asio::awaitable<Result<ExplainedStatus>> merge_children(Call& call, bool is_explained) {
    const Result<void> usable = check();
    if (!usable) co_return usable.error();
    const std::function<asio::awaitable<Result<ExplainedStatus>>(std::size_t)> ask = [this, &call, is_explained](std::size_t i) {
      return is_explained ? children_[i]->do_explained_status(call) : children_[i]->ClusterResolver::do_explained_status(call);
    };
    Result<std::vector<ExplainedStatus>> parts =
        co_await join_bounded<ExplainedStatus>(children_.size(), at_a_time(call), ask, OnFailure::cancel_rest);
    if (!parts) co_return parts.error();
    ExplainedStatus all;
    std::vector<const ClusterStatus*> pointers;
    for (const ExplainedStatus& part : *parts) {
      pointers.push_back(&part.status);
      all.unread.insert(all.unread.end(), part.unread.begin(), part.unread.end());
    }
    const std::vector<std::string> own_names = names();
    Result<ClusterStatus> merged = co_await merge_in_turns(std::move(pointers), own_names);
    if (!merged) co_return merged.error();
    all.status = std::move(*merged);
    co_return all;
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
