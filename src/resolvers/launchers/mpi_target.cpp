#include <fmt/format.h>

#include "base/text.hpp"
#include "resolvers/target_schemes.hpp"
#include "rollcall/mpi_resolver.hpp"

namespace rollcall {
namespace {

constexpr TargetKey mpi_keys[] = {
    {"hostfile", "the file that mpirun was given; default: the one that the environment names"},
    {"port", "of the first process on a host; default: 8470"},
    {"job", "default: worker"},
    {"rpc_layer", "such as grpc"},
};

Result<std::shared_ptr<ClusterResolver>> make_mpi(Runtime runtime, const Target& target) {
  if (!target.body.empty()) {
    return Failure(Errc::invalid_argument,
                   fmt::format("mpi: reads the launcher's variables and takes no name, not {}", quoted(target.body)))
        .with_hint("mpi:hostfile=PATH");
  }
  MpiOptions options;
  const Result<std::optional<std::uint16_t>> port = port_option(target);
  if (!port) return port.error();
  if (*port) options.port(**port);
  if (const auto v = target.get("hostfile")) options.hostfile(*v);
  if (const auto v = target.get("job")) options.job(*v);
  if (const auto v = target.get("rpc_layer")) options.rpc_layer(*v);
  return std::shared_ptr<ClusterResolver>(make_mpi_resolver(std::move(runtime), std::move(options)));
}

}  // namespace

extern const TargetScheme mpi_scheme;
constexpr TargetScheme mpi_scheme = {
    .name = "mpi",
    .synopsis = "mpi:[hostfile=PATH][,port=P]…",
    .summary = "the processes that mpirun or mpiexec started, this one among them",
    .example = "mpi:hostfile=hosts,port=8470",
    .keys = mpi_keys,
    .make = make_mpi,
};

}  // namespace rollcall
