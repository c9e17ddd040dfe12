#include "rollcall/sagemaker_resolver.hpp"

#include <fmt/format.h>

#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/declared_task.hpp"
#include "resolvers/launchers/wire/sagemaker.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

constexpr const char* sagemaker_job = "worker";

Result<SageMakerHosts> read_sagemaker(const Runtime::Impl& impl) {
  const Environment& variables = *impl.environment;
  const std::optional<std::string> hosts = variables.get("SM_HOSTS");
  const std::optional<std::string> current = variables.get("SM_CURRENT_HOST");
  if (hosts && current) return parse_sagemaker(*hosts, *current, parse_limits(impl));
  return Failure(Errc::failed_precondition,
                 fmt::format("this is no SageMaker environment: {} is not set", hosts ? "SM_CURRENT_HOST" : "SM_HOSTS"));
}

class SageMakerTask final : public DeclaredTask {
 public:
  SageMakerTask(Result<SageMakerHosts> hosts, std::uint16_t port) : hosts_(std::move(hosts)), port_(port) {}

  Result<ClusterSpec> cluster() const override {
    if (port_ == 0) return Failure(Errc::invalid_argument, "sagemaker: port is 0, not 1 to 65535");
    if (!hosts_) return hosts_.error();
    ClusterSpec spec;
    std::vector<std::string> addresses;
    for (const std::string& host : hosts_->hosts) addresses.push_back(Endpoint(host, port_).to_text());
    if (!addresses.empty()) spec.set_job(sagemaker_job, std::move(addresses));
    return spec;
  }
  Result<std::optional<std::string>> task_type() const override {
    if (!hosts_) return hosts_.error();
    if (!hosts_->unlisted.empty()) return unlisted();
    return hosts_->hosts.empty() ? std::nullopt : std::optional<std::string>(sagemaker_job);
  }
  Result<std::optional<int>> task_id() const override {
    if (!hosts_) return hosts_.error();
    if (!hosts_->unlisted.empty()) return unlisted();
    return hosts_->hosts.empty() ? std::nullopt : std::optional<int>(hosts_->current);
  }

  /// The reason why the cluster of a list of hosts is empty; empty if it is not.
  std::string left_out() const { return hosts_ ? hosts_->unlisted : std::string(); }

 private:
  Failure unlisted() const {
    return Failure(Errc::failed_precondition, hosts_->unlisted)
        .with_hint("one of the two variables is another job's: unset both, or mend them");
  }

  Result<SageMakerHosts> hosts_;
  std::uint16_t port_;
};

class SageMakerResolver final : public DeclaredTaskResolver {
 public:
  SageMakerResolver(Runtime runtime_handle, const SageMakerOptions& options)
      : DeclaredTaskResolver(std::move(runtime_handle), options), port_(options.port()) {}

  std::string describe() const override { return "sagemaker"; }
  // TensorFlow treats such a cluster as empty. The answer stays empty, and an event gives the reason.
  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    const SageMakerTask declared(read_sagemaker(impl_of(call)), port_);
    if (const std::string why = declared.left_out(); !why.empty()) {
      const Failure failure(Errc::failed_precondition, why);
      impl_of(call).emit({.kind = EventKind::omitted, .call = call.id(), .subject = "sagemaker", .failure = &failure});
    }
    co_return declared.cluster();
  }

 private:
  std::unique_ptr<DeclaredTask> read() const override { return std::make_unique<SageMakerTask>(read_sagemaker(impl_of(runtime())), port_); }

  std::uint16_t port_;
};

}  // namespace

std::shared_ptr<ClusterResolver> make_sagemaker_resolver(Runtime runtime, SageMakerOptions options) {
  return std::make_shared<SageMakerResolver>(std::move(runtime), options);
}

}  // namespace rollcall
