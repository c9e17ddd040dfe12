// A cluster that is listed in a file.
#pragma once

#include "rollcall/resolver.hpp"

namespace rollcall {

/// The format of a file.
enum class FileFormat {
  automatic,  ///< by the content: JSON is a cluster, TF_CONFIG when it has `cluster`, or SageMaker's resourceconfig.json; `slots=` and
              ///< numbers under 1024 are MPI's
  cluster,    ///< `{"worker": ["a:1", "b:1"]}`, as ClusterSpec::to_json() writes it
  tfconfig,   ///< the content of the variable TF_CONFIG
  mpi,        ///< MPI hostfile: `host slots=4`, `host:4`, `host`; one task for each slot
  lines,      ///< `host:port`
};

class FileOptions {
 public:
  FileOptions() {}
  explicit FileOptions(std::string path) : path_(std::move(path)) {}
  // clang-format off
  FileOptions& path(std::string v) { path_ = std::move(v); return *this; }
  FileOptions& format(FileFormat v) { format_ = v; return *this; }
  /// The job of hosts that the file assigns to no job: formats mpi and lines.
  FileOptions& job(std::string v) { job_ = std::move(v); return *this; }
  /// For lines without a port; for MPI, the port of the first slot on a host, each further slot has the next port (8470 by default).
  FileOptions& port(std::uint16_t v) { port_ = v; return *this; }
  FileOptions& task_type(std::string v) { task_type_ = std::move(v); return *this; }
  FileOptions& task_id(int v) { task_id_ = v; return *this; }
  FileOptions& rpc_layer(std::string v) { rpc_layer_ = std::move(v); return *this; }
  // clang-format on
  const std::string& path() const { return path_; }
  FileFormat format() const { return format_; }
  const std::string& job() const { return job_; }
  std::optional<std::uint16_t> port() const { return port_; }
  const std::optional<std::string>& task_type() const { return task_type_; }
  std::optional<int> task_id() const { return task_id_; }
  const std::optional<std::string>& rpc_layer() const { return rpc_layer_; }

 private:
  std::string path_;
  FileFormat format_ = FileFormat::automatic;
  std::string job_ = "worker";
  std::optional<std::uint16_t> port_;
  std::optional<std::string> task_type_;
  std::optional<int> task_id_;
  std::optional<std::string> rpc_layer_;
};

/// Reads the whole file at every call (Limits::max_body_bytes), through the Runtime's Files. Task and rpc_layer are the options', else
/// TF_CONFIG's. Errors: those of Files; not_ready for a file without hosts; invalid_argument with path and line, which cluster_status()
/// reports as malformed_response, since the file may be half written; limit_exceeded over Limits::max_endpoints.
std::shared_ptr<ClusterResolver> make_file_resolver(Runtime runtime, FileOptions options);

}  // namespace rollcall
