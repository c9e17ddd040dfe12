#include "resolvers/target_keys.hpp"
#include "rollcall/mpi_resolver.hpp"

namespace rollcall {
namespace {

// clang-format off
constexpr TargetKeys mpi_keys(
    path_key("hostfile", &MpiOptions::hostfile, "the file that mpirun was given; default: the one that the environment names"),
    port_key("port", &MpiOptions::port, "of the first process on a host; default: 8470"),
    text_key("job", &MpiOptions::job, "default: worker"),
    text_key("rpc_layer", &MpiOptions::rpc_layer, "such as grpc"));
// clang-format on

Result<std::shared_ptr<ClusterResolver>> make_mpi(Runtime runtime, const Target& target) {
  Result<void> fine = check_no_name(target, "reads the launcher's variables", "mpi:hostfile=PATH");
  MpiOptions options;
  if (fine) fine = mpi_keys.set(target, options);
  if (!fine) return fine.error();
  return make_mpi_resolver(std::move(runtime), std::move(options));
}

}  // namespace

extern const TargetScheme mpi_scheme;
constexpr TargetScheme mpi_scheme = {
    .name = "mpi",
    .synopsis = "mpi:[hostfile=PATH][,port=P]…",
    .summary = "the processes that mpirun or mpiexec started, this one among them",
    .example = "mpi:hostfile=hosts,port=8470",
    .keys = mpi_keys.names,
    .is_fixed = true,
    .make = make_mpi,
};

}  // namespace rollcall
