#include "rollcall/union_resolver.hpp"

#include <fmt/format.h>

#include "async/group.hpp"
#include "async/runtime_impl.hpp"

namespace rollcall {
namespace {

// Upstream's Python takes "" and 0 for "not set".
std::optional<std::string> if_truthy(const std::optional<std::string>& value) { return value && !value->empty() ? value : std::nullopt; }

asio::awaitable<Result<ClusterSpec>> ask_child(std::shared_ptr<ClusterResolver> child, Call& call) {
  Result<ClusterSpec> spec = co_await child->do_cluster_spec(call);
  Failure failure;
  if (!spec) failure = spec.error();
  const std::string name = child->describe();
  call.impl().emit({.kind = spec ? EventKind::member_resolved : EventKind::member_failed,
                    .call = call.id(),
                    .subject = name,
                    .failure = spec ? nullptr : &failure});
  co_return spec;
}

class UnionResolver final : public ClusterResolver {
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
    std::vector<asio::awaitable<Result<ClusterSpec>>> questions;
    for (const auto& child : children_) questions.push_back(ask_child(child, call));
    Result<std::vector<ClusterSpec>> specs = co_await join(std::move(questions));
    if (!specs) co_return specs.error();
    co_return merge(*specs);
  }

  asio::awaitable<Result<std::string>> do_master(Call& call, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override {
    const Result<void> usable = check();
    if (!usable) co_return usable.error();
    if (!task_type || !task_id) {
      Result<std::string> first = co_await children_.front()->do_master(call, {}, {}, rpc_layer);
      co_return first;
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
    Result<AcceleratorCounts> first = co_await children_.front()->do_num_accelerators(call, task_type, task_id);
    co_return first;
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
  Result<void> check() const {
    if (children_.empty()) return Failure(Errc::invalid_argument, "a union needs at least one resolver");
    for (const auto& child : children_) {
      if (!child) return Failure(Errc::invalid_argument, "a union's child is no resolver (null)");
    }
    return Result<void>();
  }

  std::vector<std::shared_ptr<ClusterResolver>> children_;
};

}  // namespace

std::shared_ptr<ClusterResolver> make_union_resolver(Runtime runtime, std::vector<std::shared_ptr<ClusterResolver>> children,
                                                     UnionOptions options) {
  return std::make_shared<UnionResolver>(std::move(runtime), std::move(children), std::move(options));
}

}  // namespace rollcall
