#include <fmt/format.h>

#include <algorithm>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "call/file_reading.hpp"
#include "call/runtime_impl.hpp"
#include "cluster/host_file.hpp"
#include "resolvers/launchers/wire/sagemaker.hpp"
#include "resolvers/launchers/wire/tf_config.hpp"
#include "resolvers/launchers/wire/worker_lists.hpp"
#include "resolvers/listed_status.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/file_resolver.hpp"
#include "rollcall/sagemaker_resolver.hpp"

namespace rollcall {
namespace {

class FileContent {
 public:
  FileContent() {}
  ClusterSpec cluster;
  std::optional<TfConfig> config;  // if the file is one; its keys are checked when they are read
  std::optional<std::string> own_job;  // this task, if the file is SageMaker's
  std::optional<int> own_index;
  std::optional<std::string> rpc_layer;
  std::string left_out;  // what the file has beside the cluster; else empty
};

// Worker pools of Vertex AI are in the order of their numbers, which is that of the ranks.
Result<ClusterSpec> in_order_of_pools(std::string_view text, ClusterSpec cluster, std::size_t max) {
  const std::vector<ClusterSpec::Job>& jobs = cluster.job_list();
  const auto is_pool = [](const ClusterSpec::Job& job) { return job.name.starts_with("workerpool"); };
  if (!std::any_of(jobs.begin(), jobs.end(), is_pool)) return cluster;
  const Result<WorkerPools> pools = parse_worker_pools(text, max);
  if (!pools) return pools.error();
  ClusterSpec ordered;
  for (const WorkerList& pool : pools->pools) ordered.set_job(pool.job, pool.hosts);
  return ordered;
}

Result<FileContent> content_of_tfconfig(std::string_view text, std::size_t max) {
  Result<TfConfig> config = TfConfig::parse(text);
  if (!config) return config.error();
  Result<ClusterSpec> cluster = config->cluster();
  if (cluster) cluster = in_order_of_pools(text, *std::move(cluster), max);
  if (!cluster) return cluster.error();
  FileContent content;
  content.cluster = *std::move(cluster);
  content.left_out = config->left_out();
  content.config.emplace(*std::move(config));
  return content;
}

Result<HostFileFormat> format_of_file(FileFormat wanted, std::string_view text) {
  switch (wanted) {
    case FileFormat::cluster: return HostFileFormat::cluster;
    case FileFormat::tfconfig: return HostFileFormat::tfconfig;
    case FileFormat::mpi: return HostFileFormat::mpi;
    case FileFormat::lines: return HostFileFormat::lines;
    case FileFormat::automatic: break;
  }
  return detect_host_file(text);
}

Result<std::vector<std::string>> addresses_of_file(HostFileFormat format, std::string_view text, const FileOptions& options,
                                                   std::size_t max) {
  if (format == HostFileFormat::lines) return parse_host_lines(text, options.port(), max);
  const Result<std::vector<HostSlots>> hosts = parse_mpi_hosts(text, max);
  if (!hosts) return hosts.error();
  return addresses_of_slots(*hosts, options.port().value_or(default_worker_port), max);
}

Result<FileContent> content_of_hosts(HostFileFormat format, std::string_view text, const FileOptions& options, std::size_t max) {
  Result<std::vector<std::string>> addresses = addresses_of_file(format, text, options, max);
  if (!addresses) return addresses.error();
  if (addresses->empty()) return Failure(Errc::not_ready, "there is no host in it");
  FileContent content;
  content.cluster.set_job(options.job(), *std::move(addresses));
  return content;
}

// SageMaker's file says what a TF_CONFIG says: a cluster, and this task.
Result<FileContent> content_of_resource_config(std::string_view text, const FileOptions& options, std::size_t max) {
  ParseLimits limits;
  limits.max_endpoints = max;
  const Result<SageMakerJob> job = parse_resource_config("SageMaker's resourceconfig.json", text, limits);
  if (!job) return job.error();
  const Result<SageMakerHosts> hosts = hosts_of_sagemaker(*job);
  if (!hosts) return hosts.error();
  if (!hosts->unlisted.empty()) return Failure(Errc::failed_precondition, hosts->unlisted);
  if (hosts->jobs.empty()) return Failure(Errc::not_ready, "there is no host in it");
  FileContent content;
  for (const SageMakerGroup& one : hosts->jobs) {
    std::vector<std::string> addresses;
    for (const std::string& host : one.hosts)
      addresses.push_back(Endpoint(host, options.port().value_or(SageMakerOptions().port())).to_text());
    content.cluster.set_job(one.name, std::move(addresses));
  }
  content.left_out = hosts->left_out;
  content.own_job = hosts->jobs[hosts->job].name;
  content.own_index = hosts->index;
  return content;
}

Result<FileContent> content_of_cluster(std::string_view text) {
  Result<ClusterSpec> cluster = ClusterSpec::from_json(text);
  if (!cluster) return cluster.error();
  FileContent content;
  content.cluster = *std::move(cluster);
  return content;
}

Result<void> check_size(const ClusterSpec& cluster, std::size_t max) {
  std::size_t tasks = 0;
  for (const ClusterSpec::Job& job : cluster.job_list()) tasks += job.tasks.size();
  if (tasks <= max) return {};
  return Failure(Errc::limit_exceeded, fmt::format("more than {} tasks", max));
}

Result<FileContent> parse_file_content(std::string_view text, const FileOptions& options, std::size_t max) {
  text = without_byte_order_mark(text);
  if (options.format() == FileFormat::automatic && is_resource_config(text)) return content_of_resource_config(text, options, max);
  const Result<HostFileFormat> format = format_of_file(options.format(), text);
  if (!format) return format.error();
  if (*format == HostFileFormat::mpi || *format == HostFileFormat::lines) return content_of_hosts(*format, text, options, max);
  Result<FileContent> content = *format == HostFileFormat::tfconfig ? content_of_tfconfig(text, max) : content_of_cluster(text);
  if (!content) return content;
  const Result<void> fine = check_size(content->cluster, max);
  if (!fine) return fine.error();
  return content;
}

class FileResolver final : public ClusterResolver {
 public:
  FileResolver(Runtime runtime_handle, FileOptions options) : ClusterResolver(std::move(runtime_handle)), options_(std::move(options)) {
    task_type_ = options_.task_type();
    task_id_ = options_.task_id();
    rpc_layer_ = options_.rpc_layer();
  }

  std::string describe() const override { return "file:" + path_text(options_.path()); }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    const auto read_it = [this] { return read(); };
    Result<FileContent> content = co_await read_when_there(call, read_it);
    if (!content) co_return content.error();
    if (!content->left_out.empty()) {
      const Failure failure(Errc::failed_precondition, content->left_out);
      const std::string subject = describe();
      impl_of(call).emit({.kind = EventKind::omitted, .call = call.id(), .subject = subject, .failure = &failure});
    }
    co_return std::move(content->cluster);
  }

  // A repeated poll may read the file while it is written: invalid content now may be valid at the next poll.
  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    Result<ClusterStatus> status = co_await listed_status(ClusterResolver::do_cluster_status(call));
    if (status || status.error().code() != Errc::invalid_argument) co_return status;
    Failure failure = status.error();
    failure.with_code(Errc::malformed_response);
    co_return failure;
  }

  Result<std::optional<std::string>> do_task_type() const override {
    return property(task_type_, &FileContent::own_job, &TfConfig::task_type);
  }
  Result<std::optional<int>> do_task_id() const override { return property(task_id_, &FileContent::own_index, &TfConfig::task_id); }
  Result<std::optional<std::string>> do_rpc_layer() const override {
    return property(rpc_layer_, &FileContent::rpc_layer, &TfConfig::rpc_layer);
  }

 private:
  Result<FileContent> read() const {
    const Runtime::Impl& impl = impl_of(runtime());
    const Result<std::string> text = impl.files->read(options_.path(), impl.limits.max_body_bytes);
    if (!text) return text.error();
    Result<FileContent> content = parse_file_content(*text, options_, impl.limits.max_endpoints);
    if (content) return content;
    Failure failure = content.error();
    if (failure.code() == Errc::malformed_response) failure.with_code(Errc::invalid_argument);
    return std::move(failure).with_target(path_text(options_.path()));
  }

  // Only a TF_CONFIG and SageMaker's file have these properties.
  template <class T>
  Result<T> property(const T& own, T FileContent::* known, Result<T> (TfConfig::*value)() const) const {
    if (own) return own;
    const Result<FileContent> content = read();
    if (!content) return content.error();
    if (!content->config) return (*content).*known;
    const Result<T> found = ((*content->config).*value)();
    if (found) return found;
    Failure failure = found.error();
    return std::move(failure).with_target(path_text(options_.path()));
  }

  FileOptions options_;
};

}  // namespace

std::shared_ptr<ClusterResolver> make_file_resolver(Runtime runtime, FileOptions options) {
  return std::make_shared<FileResolver>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
