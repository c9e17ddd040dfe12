#include <fmt/format.h>

#include "base/path_text.hpp"
#include "resolvers/target_keys.hpp"
#include "rollcall/file_resolver.hpp"

namespace rollcall {
namespace {

Result<void> read_file_format(const TargetValue& value, FileOptions& options) {
  static constexpr TargetWord<FileFormat> formats[] = {
      {"cluster", FileFormat::cluster}, {"tfconfig", FileFormat::tfconfig}, {"mpi", FileFormat::mpi}, {"lines", FileFormat::lines}};
  const Result<FileFormat> format = value.word(formats, "is not a format");
  if (!format) return Failure(format.error()).with_hint("it is cluster, tfconfig, mpi or lines");
  options.format(*format);
  return {};
}

// clang-format off
constexpr TargetKeys file_keys(
    own_key("format", read_file_format, "cluster, tfconfig, mpi or lines; default: by the content"),
    text_key("job", &FileOptions::job, "of hosts that are not in jobs; default: worker"),
    port_key("port", &FileOptions::port, "of lines without one; of MPI's first slot on a host (8470)"),
    text_key("type", &FileOptions::task_type, "this task's job; default: TF_CONFIG's"),
    task_key("task", &FileOptions::task_id, "this task's index; default: TF_CONFIG's"),
    text_key("rpc_layer", &FileOptions::rpc_layer, "such as grpc; default: TF_CONFIG's"));
// clang-format on

Result<std::shared_ptr<ClusterResolver>> make_file(Runtime runtime, const Target& target) {
  if (target.body.empty() || target.body == "-") {
    return Failure(Errc::invalid_argument,
                   fmt::format("file: {} is no file that can be read again and again", target.body.empty() ? "nothing" : "standard input"))
        .with_hint("file:PATH");
  }
  if (target.body.find('\0') != std::string::npos) return Failure(Errc::invalid_argument, "file: the path has a NUL byte");
  if (const Result<void> fine = check_path("file:", target.body); !fine) return fine.error();
  FileOptions options(target.body);
  if (const Result<void> set = file_keys.set(target, options); !set) return set.error();
  return make_file_resolver(std::move(runtime), std::move(options));
}

}  // namespace

extern const TargetScheme file_scheme;
constexpr TargetScheme file_scheme = {
    .name = "file",
    .synopsis = "file:PATH[,format=F][,port=P]…",
    .summary = "the cluster that a file lists: JSON, TF_CONFIG, an MPI hostfile, or host:port lines",
    .example = "file:hosts.txt,job=worker",
    .keys = file_keys.names,
    .name_needs_trust = true,
    .make = make_file,
};

}  // namespace rollcall
