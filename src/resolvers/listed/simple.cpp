#include "rollcall/simple_resolver.hpp"

#include "readiness/fixed_members.hpp"
#include "resolvers/listed_status.hpp"

namespace rollcall {
namespace {

class SimpleResolver final : public ClusterResolver, public FixedMembers {
 public:
  SimpleResolver(Runtime runtime, SimpleOptions options) : ClusterResolver(std::move(runtime)), options_(std::move(options)) {
    task_type_ = options_.task_type();
    task_id_ = options_.task_id();
    rpc_layer_ = options_.rpc_layer();
  }

  std::string describe() const override { return "simple"; }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override { co_return options_.cluster_spec(); }

  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    Result<ClusterStatus> status = co_await listed_status(ClusterResolver::do_cluster_status(call));
    if (!status) co_return status;
    const auto& counts = options_.num_accelerators().counts();
    if (counts.size() != 1) co_return status;  // none are given, or of several kinds
    for (Member& member : status->members) {
      member.accelerators.emplace(counts.begin()->first, counts.begin()->second, "the target").is_shared = true;
    }
    co_return status;
  }
  bool has_fixed_members() const override { return true; }

  // The resolver's own task_type and task_id are not used [facts: simple-master].
  asio::awaitable<Result<std::string>> do_master(Call&, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override {
    if (!rpc_layer || rpc_layer->empty()) rpc_layer = rpc_layer_;
    std::string address = options_.master();
    if (task_type && task_id) {
      Result<std::string> found = options_.cluster_spec().task_address(*task_type, *task_id);
      if (!found) co_return found;
      address = std::move(*found);
    }
    co_return format_master_url(address, rpc_layer);
  }

  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call&, std::optional<std::string>, std::optional<int>) override {
    co_return options_.num_accelerators();
  }

  Result<std::optional<std::string>> do_environment() const override { return std::optional<std::string>(options_.environment()); }

 private:
  SimpleOptions options_;
};

}  // namespace

std::shared_ptr<ClusterResolver> make_simple_resolver(Runtime runtime, SimpleOptions options) {
  return std::make_shared<SimpleResolver>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
