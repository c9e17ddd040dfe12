#include <fmt/format.h>

#include "async/runtime_impl.hpp"
#include "core/text.hpp"
#include "parse/host_file.hpp"
#include "parse/tf_config.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/file_resolver.hpp"

namespace rollcall {
namespace {

class FileContent {
 public:
  FileContent() {}
  ClusterSpec cluster;
  std::optional<std::string> task_type;
  std::optional<int> task_id;
  std::optional<std::string> rpc_layer;
};

Result<FileContent> content_of_tfconfig(std::string_view text) {
  const Result<TfConfig> config = TfConfig::parse(text);
  if (!config) return config.error();
  const Result<ClusterSpec> cluster = config->cluster();
  const Result<std::optional<std::string>> type = config->task_type();
  const Result<std::optional<int>> index = config->task_index();
  const Result<std::optional<std::string>> rpc_layer = config->rpc_layer();
  if (!cluster) return cluster.error();
  if (!type) return type.error();
  if (!index) return index.error();
  if (!rpc_layer) return rpc_layer.error();
  FileContent content;
  content.cluster = *cluster;
  content.task_type = *type;
  content.task_id = *index;
  content.rpc_layer = *rpc_layer;
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
                                                   std::size_t most) {
  if (format == HostFileFormat::lines) return parse_host_lines(text, options.port(), most);
  const Result<std::vector<HostSlots>> hosts = parse_mpi_hosts(text, most);
  if (!hosts) return hosts.error();
  return addresses_of_slots(*hosts, options.port().value_or(default_worker_port));
}

Result<FileContent> parse_file_content(std::string_view text, const FileOptions& options, std::size_t most) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // an editor's byte order mark
  const Result<HostFileFormat> format = format_of_file(options.format(), text);
  if (!format) return format.error();
  if (*format == HostFileFormat::tfconfig) return content_of_tfconfig(text);
  FileContent content;
  if (*format == HostFileFormat::cluster) {
    const Result<ClusterSpec> cluster = ClusterSpec::from_json(text);
    if (!cluster) return cluster.error();
    content.cluster = *cluster;
    return content;
  }
  Result<std::vector<std::string>> addresses = addresses_of_file(*format, text, options, most);
  if (!addresses) return addresses.error();
  content.cluster.set_job(options.job(), *std::move(addresses));
  return content;
}

class FileResolver final : public ClusterResolver {
 public:
  FileResolver(Runtime runtime_handle, FileOptions options) : ClusterResolver(std::move(runtime_handle)), options_(std::move(options)) {
    task_type_ = options_.task_type();
    task_id_ = options_.task_id();
    rpc_layer_ = options_.rpc_layer();
  }

  std::string describe() const override { return "file:" + printable(options_.path()); }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override {
    Result<FileContent> content = read();
    if (!content) co_return content.error();
    co_return std::move(content->cluster);
  }

  Result<std::optional<std::string>> do_task_type() const override {
    if (task_type_) return task_type_;
    return read_property(&FileContent::task_type);
  }
  Result<std::optional<int>> do_task_id() const override {
    if (task_id_) return task_id_;
    return read_property(&FileContent::task_id);
  }
  Result<std::optional<std::string>> do_rpc_layer() const override {
    if (rpc_layer_) return rpc_layer_;
    return read_property(&FileContent::rpc_layer);
  }

 private:
  Result<FileContent> read() const {
    const Runtime::Impl& impl = runtime().impl();
    const Result<std::string> text = impl.files->read(options_.path(), impl.limits.max_body_bytes);
    if (!text) return text.error();
    Result<FileContent> content = parse_file_content(*text, options_, impl.limits.max_endpoints);
    if (content) return content;
    Failure failure = content.error();
    if (failure.code() == Errc::malformed_response) failure.with_code(Errc::invalid_argument);
    return std::move(failure).with_target(printable(options_.path()));
  }

  // Only TF_CONFIG has them.
  template <class T>
  Result<T> read_property(T FileContent::* member) const {
    const Result<FileContent> content = read();
    if (!content) return content.error();
    return (*content).*member;
  }

  FileOptions options_;
};

}  // namespace

std::shared_ptr<ClusterResolver> make_file_resolver(Runtime runtime, FileOptions options) {
  return std::make_shared<FileResolver>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
