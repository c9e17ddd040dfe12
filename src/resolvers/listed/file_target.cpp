#include <fmt/format.h>

#include "base/text.hpp"
#include "resolvers/target_schemes.hpp"
#include "rollcall/file_resolver.hpp"

namespace rollcall {
namespace {

constexpr TargetKey file_keys[] = {
    {"format", "cluster, tfconfig, mpi or lines; default: by the content"},
    {"job", "of hosts that are not in jobs; default: worker"},
    {"port", "of lines without one; of MPI's first slot on a host (8470)"},
    {"type", "this task's job; default: TF_CONFIG's"},
    {"task", "this task's index; default: TF_CONFIG's"},
    {"rpc_layer", "such as grpc; default: TF_CONFIG's"},
};

constexpr TargetWord<FileFormat> file_formats[] = {
    {"cluster", FileFormat::cluster},
    {"tfconfig", FileFormat::tfconfig},
    {"mpi", FileFormat::mpi},
    {"lines", FileFormat::lines},
};

Result<void> read_file_format(const Target& target, FileOptions& options) {
  const Result<void> read = word_option(target, "format", file_formats, options, &FileOptions::format, "is not a format");
  if (read) return read;
  return read.error().with_hint("it is cluster, tfconfig, mpi or lines");
}

Result<std::shared_ptr<ClusterResolver>> make_file(Runtime runtime, const Target& target) {
  if (target.body.empty() || target.body == "-") {
    return Failure(Errc::invalid_argument,
                   fmt::format("file: {} is no file that can be read again and again", target.body.empty() ? "nothing" : "standard input"))
        .with_hint("file:PATH");
  }
  if (target.body.find('\0') != std::string::npos) return Failure(Errc::invalid_argument, "file: the path has a NUL byte");
  FileOptions options(target.body);
  const Result<void> format = read_file_format(target, options);
  const Result<std::optional<std::uint16_t>> port = port_option(target);
  const Result<std::optional<int>> task = task_option(target);
  if (!format) return format.error();
  if (!port) return port.error();
  if (!task) return task.error();
  if (*port) options.port(**port);
  if (*task) options.task_id(**task);
  if (const auto v = target.get("job")) options.job(*v);
  if (const auto v = target.get("type")) options.task_type(*v);
  if (const auto v = target.get("rpc_layer")) options.rpc_layer(*v);
  return make_file_resolver(std::move(runtime), std::move(options));
}

}  // namespace

extern const TargetScheme file_scheme;
constexpr TargetScheme file_scheme = {
    .name = "file",
    .synopsis = "file:PATH[,format=F][,port=P]…",
    .summary = "the cluster that a file lists: JSON, TF_CONFIG, an MPI hostfile, or host:port lines",
    .example = "file:hosts.txt,job=worker",
    .keys = file_keys,
    .make = make_file,
};

}  // namespace rollcall
