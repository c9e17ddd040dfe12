#include "rollcall/sagemaker_resolver.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "call/file_reading.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/declared_task.hpp"
#include "resolvers/launchers/sagemaker_job.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/tpu_call.hpp"

namespace rollcall {
namespace {

class SageMakerTask final : public DeclaredTask {
 public:
  SageMakerTask(Result<SageMakerHosts> hosts, std::uint16_t port) : hosts_(std::move(hosts)), port_(port) {}

  Result<ClusterSpec> cluster() const override {
    if (port_ == 0) return Failure(Errc::invalid_argument, "sagemaker: port is 0, not 1 to 65535");
    if (!hosts_) return hosts_.error();
    ClusterSpec spec;
    for (const SageMakerGroup& job : hosts_->jobs) {
      std::vector<std::string> addresses;
      for (const std::string& host : job.hosts) addresses.push_back(Endpoint(host, port_).to_text());
      spec.set_job(job.name, std::move(addresses));
    }
    return spec;
  }
  Result<std::optional<std::string>> task_type() const override {
    if (!hosts_) return hosts_.error();
    if (!hosts_->unlisted.empty()) return unlisted();
    return hosts_->jobs.empty() ? std::nullopt : std::optional<std::string>(hosts_->jobs[hosts_->job].name);
  }
  Result<std::optional<int>> task_id() const override {
    if (!hosts_) return hosts_.error();
    if (!hosts_->unlisted.empty()) return unlisted();
    return hosts_->jobs.empty() ? std::nullopt : std::optional<int>(hosts_->index);
  }

  /// What the cluster lacks, and why; empty if it has all hosts of the job.
  std::string left_out() const {
    if (!hosts_) return {};
    return hosts_->unlisted.empty() ? hosts_->left_out : hosts_->unlisted;
  }

 private:
  Failure unlisted() const {
    return Failure(Errc::failed_precondition, hosts_->unlisted)
        .with_hint("one of the two is another job's: mend it, or unset SM_HOSTS and SM_CURRENT_HOST");
  }

  Result<SageMakerHosts> hosts_;
  std::uint16_t port_;
};

class SageMakerResolver final : public DeclaredTaskResolver {
 public:
  SageMakerResolver(Runtime runtime_handle, const SageMakerOptions& options)
      : DeclaredTaskResolver(std::move(runtime_handle), options), port_(options.port()) {}

  std::string describe() const override { return "sagemaker"; }
  // TensorFlow treats a cluster whose list lacks the current host as empty. The answer stays empty, and an event gives the reason.
  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    const auto read_it = [this] { return read_sagemaker(impl_of(runtime())); };
    Result<SageMakerHosts> hosts = co_await read_when_there(call, read_it);
    const SageMakerTask own(std::move(hosts), port_);
    if (const std::string why = own.left_out(); !why.empty()) {
      const Failure failure(Errc::failed_precondition, why);
      impl_of(call).emit({.kind = EventKind::omitted, .call = call.id(), .subject = "sagemaker", .failure = &failure});
    }
    co_return own.cluster();
  }

  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    Result<ClusterStatus> status = co_await DeclaredTaskResolver::do_cluster_status(call);
    if (!status) co_return status;
    const Result<AcceleratorCounts> counts = sagemaker_accelerators(impl_of(call));
    if (!counts && counts.error().code() == Errc::invalid_argument) co_return counts.error();
    if (!counts || counts->counts().size() != 1) co_return status;
    const auto& [kind, number] = *counts->counts().begin();
    for (Member& member : status->members) {
      member.accelerators.emplace(kind, number, kind == "GPU" ? "SM_NUM_GPUS" : "SM_NUM_NEURONS").is_shared = true;
    }
    co_return status;
  }

  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                 std::optional<int> task_id) override {
    const CountFrom from = call.options().get<TpuCallOptions>().count_from();
    if (from == CountFrom::accelerator_type) co_return sagemaker_accelerators(impl_of(call));
    co_return co_await DeclaredTaskResolver::do_num_accelerators(call, std::move(task_type), task_id);
  }

 private:
  std::unique_ptr<DeclaredTask> read() const override { return std::make_unique<SageMakerTask>(read_sagemaker(impl_of(runtime())), port_); }

  std::uint16_t port_;
};

}  // namespace

Result<SageMakerHosts> read_sagemaker(const Runtime::Impl& impl) {
  const Environment& variables = *impl.environment;
  Result<SageMakerJob> job = parse_sagemaker_variables(variables, parse_limits(impl));
  if (!job && !variables.get("SM_HOSTS")) {
    const Result<std::string> text = impl.files->read(sagemaker_file, impl.limits.max_body_bytes);
    if (text) {
      job = parse_resource_config(sagemaker_file, *text, parse_limits(impl));
    } else if (text.error().code() == Errc::not_found) {
      return Failure(Errc::failed_precondition, fmt::format("{}, and there is no {}", job.error().what(), sagemaker_file));
    } else {
      return text.error();
    }
  }
  if (!job) return job.error();
  return hosts_of_sagemaker(*job);
}

Result<AcceleratorCounts> sagemaker_accelerators(const Runtime::Impl& impl) {
  const Result<SageMakerHosts> hosts = read_sagemaker(impl);
  if (!hosts) return hosts.error();
  if (!hosts->is_uniform)
    return Failure(Errc::failed_precondition,
                   "the instance groups have several instance types, and only this host's accelerators are known");
  std::map<std::string, int, std::less<>> counts;
  for (const auto& [name, kind] : {std::pair("SM_NUM_GPUS", "GPU"), std::pair("SM_NUM_NEURONS", "NEURON")}) {
    const std::string text = impl.environment->get(name).value_or("");
    if (trim(text).empty()) continue;
    const std::optional<int> number = parse_decimal<int>(trim(text), 0, 1024);
    if (!number) return Failure(Errc::invalid_argument, fmt::format("{} is {}, no number from 0 to 1024", name, quoted(text, 80)));
    if (*number > 0) counts.emplace(kind, *number);
  }
  if (counts.empty()) return Failure(Errc::failed_precondition, "SM_NUM_GPUS and SM_NUM_NEURONS name no accelerators");
  return AcceleratorCounts(std::move(counts), CountSource::given);
}

std::shared_ptr<ClusterResolver> make_sagemaker_resolver(Runtime runtime, SageMakerOptions options) {
  return std::make_shared<SageMakerResolver>(std::move(runtime), options);
}

}  // namespace rollcall
