#include <fmt/format.h>

#include "async/runtime_impl.hpp"
#include "parse/tf_config.hpp"
#include "rollcall/tfconfig_resolver.hpp"

namespace rollcall {
namespace {

class TfConfigResolver final : public ClusterResolver {
 public:
  TfConfigResolver(Runtime runtime_handle, TfConfigOptions options)
      : ClusterResolver(std::move(runtime_handle)), environment_(options.environment()) {
    task_type_ = options.task_type();
    task_id_ = options.task_id();
    rpc_layer_ = options.rpc_layer();
  }

  std::string describe() const override { return "tfconfig"; }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override { co_return read_cluster(); }

  asio::awaitable<Result<std::string>> do_master(Call&, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override {
    co_return find_master(std::move(task_type), task_id, std::move(rpc_layer));
  }

  // Upstream 5: with a task in TF_CONFIG only that task's devices are counted.
  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                 std::optional<int> task_id) override {
    std::optional<std::string> rpc_layer;
    const Result<void> filled = fill_in(task_type, task_id, rpc_layer);
    if (!filled) co_return filled.error();
    Result<AcceleratorCounts> counts = co_await ClusterResolver::do_num_accelerators(call, std::move(task_type), task_id);
    co_return counts;
  }

  Result<std::optional<std::string>> do_task_type() const override {
    if (task_type_) return task_type_;
    const Result<TfConfig> config = read();
    if (!config) return config.error();
    return config->task_type();
  }
  Result<std::optional<int>> do_task_id() const override {
    if (task_id_) return task_id_;
    const Result<TfConfig> config = read();
    if (!config) return config.error();
    return config->task_index();
  }
  Result<std::optional<std::string>> do_rpc_layer() const override {
    if (rpc_layer_) return rpc_layer_;
    const Result<TfConfig> config = read();
    if (!config) return config.error();
    return config->rpc_layer();
  }
  Result<std::optional<std::string>> do_environment() const override { return environment_; }

 private:
  Result<TfConfig> read() const {
    const std::optional<std::string> text = runtime().impl().environment->get("TF_CONFIG");
    return TfConfig::parse(text ? std::string_view(*text) : std::string_view("{}"));
  }

  Result<ClusterSpec> read_cluster() const {
    const Result<TfConfig> config = read();
    if (!config) return config.error();
    return config->cluster();
  }

  // Upstream 5: session_master as it is; "" for a cluster of no job or of one job with one task; else the task's address.
  Result<std::string> find_master(std::optional<std::string> task_type, std::optional<int> task_id,
                                  std::optional<std::string> rpc_layer) const {
    const Result<TfConfig> config = read();
    if (!config) return config.error();
    Result<std::optional<std::string>> session_master = config->session_master();
    if (!session_master) return session_master.error();
    if (*session_master) return std::move(**session_master);
    Result<ClusterSpec> spec = config->cluster();
    if (!spec) return spec.error();
    if (spec->empty()) return std::string();
    if (spec->job_list().size() == 1) {
      const ClusterSpec::Tasks& tasks = spec->job_list().front().tasks;
      if (tasks.size() == 1 && tasks.begin()->first == 0) return std::string();
    }
    const Result<void> filled = fill_in(task_type, task_id, rpc_layer);
    if (!filled) return filled.error();
    if (!task_type || !task_id) {
      return Failure(Errc::not_found, "TF_CONFIG has no task type or index, and none was given: the master cannot be told")
          .with_hint("add \"task\": {\"type\": …, \"index\": …} to TF_CONFIG, or name the task");
    }
    Result<std::string> address = spec->task_address(*task_type, *task_id);
    if (!address) return address;
    return format_master_url(*address, rpc_layer);
  }

  std::optional<std::string> environment_;
};

}  // namespace

std::shared_ptr<ClusterResolver> make_tfconfig_resolver(Runtime runtime, TfConfigOptions options) {
  return std::make_shared<TfConfigResolver>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
