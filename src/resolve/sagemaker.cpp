#include "rollcall/sagemaker_resolver.hpp"

#include <fmt/format.h>

#include "async/runtime_impl.hpp"
#include "parse/sagemaker.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

constexpr const char* sagemaker_job = "worker";

class SageMakerResolver final : public ClusterResolver {
 public:
  SageMakerResolver(Runtime runtime_handle, SageMakerOptions options)
      : ClusterResolver(std::move(runtime_handle)), port_(options.port()), environment_(options.environment()) {
    task_type_ = options.task_type();
    task_id_ = options.task_id();
    rpc_layer_ = options.rpc_layer();
  }

  std::string describe() const override { return "sagemaker"; }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override { co_return read_cluster(); }

  asio::awaitable<Result<std::string>> do_master(Call&, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override {
    co_return find_master(std::move(task_type), task_id, std::move(rpc_layer));
  }

  // As TF_CONFIG's resolver: only this task's devices are counted.
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
    const Result<SageMakerHosts> hosts = read();
    if (!hosts) return hosts.error();
    return hosts->hosts.empty() ? std::nullopt : std::optional<std::string>(sagemaker_job);
  }
  Result<std::optional<int>> do_task_id() const override {
    if (task_id_) return task_id_;
    const Result<SageMakerHosts> hosts = read();
    if (!hosts) return hosts.error();
    return hosts->hosts.empty() ? std::nullopt : std::optional<int>(hosts->current);
  }
  Result<std::optional<std::string>> do_environment() const override { return environment_; }

 private:
  Result<SageMakerHosts> read() const {
    const Environment& variables = *runtime().impl().environment;
    const std::optional<std::string> hosts = variables.get("SM_HOSTS");
    const std::optional<std::string> current = variables.get("SM_CURRENT_HOST");
    if (hosts && current) return parse_sagemaker(*hosts, *current);
    return Failure(Errc::failed_precondition,
                   fmt::format("this is no SageMaker environment: {} is not set", hosts ? "SM_CURRENT_HOST" : "SM_HOSTS"));
  }

  Result<ClusterSpec> read_cluster() const {
    if (port_ < 1 || port_ > 65535) return Failure(Errc::invalid_argument, fmt::format("sagemaker: port is {}, not 1 to 65535", port_));
    const Result<SageMakerHosts> hosts = read();
    if (!hosts) return hosts.error();
    ClusterSpec spec;
    std::vector<std::string> addresses;
    for (const std::string& host : hosts->hosts) addresses.push_back(Endpoint(host, static_cast<std::uint16_t>(port_)).to_text());
    if (!addresses.empty()) spec.set_job(sagemaker_job, std::move(addresses));
    return spec;
  }

  // Upstream 5 and 6: "" for a cluster of none or one.
  Result<std::string> find_master(std::optional<std::string> task_type, std::optional<int> task_id,
                                  std::optional<std::string> rpc_layer) const {
    const Result<ClusterSpec> spec = read_cluster();
    if (!spec) return spec.error();
    if (spec->empty() || spec->job_list().front().tasks.size() == 1) return std::string();
    const Result<void> filled = fill_in(task_type, task_id, rpc_layer);
    if (!filled) return filled.error();
    const Result<std::string> address = spec->task_address(task_type.value_or(sagemaker_job), task_id.value_or(0));
    if (!address) return address;
    return format_master_url(*address, rpc_layer);
  }

  int port_;
  std::optional<std::string> environment_;
};

}  // namespace

std::shared_ptr<ClusterResolver> make_sagemaker_resolver(Runtime runtime, SageMakerOptions options) {
  return std::make_shared<SageMakerResolver>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
