#include <fmt/format.h>

#include "call/file_reading.hpp"
#include "call/runtime_impl.hpp"
#include "cluster/host_file.hpp"
#include "readiness/fixed_members.hpp"
#include "resolvers/launchers/mpi_hosts.hpp"
#include "resolvers/launchers/mpi_placement.hpp"
#include "resolvers/launchers/mpi_process.hpp"
#include "resolvers/listed_status.hpp"
#include "rollcall/own_task.hpp"

namespace rollcall {
namespace {

class MpiJob final : public MpiResolver, public FixedMembers {
 public:
  MpiJob(Runtime runtime_handle, MpiOptions options) : MpiResolver(std::move(runtime_handle)), options_(std::move(options)) {
    rpc_layer_ = options_.rpc_layer();
  }

  std::string describe() const override { return "mpi"; }
  Result<MpiProcess> process() const override { return find_mpi_process(environment()); }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    const auto read = [this] { return read_cluster(); };
    Result<ClusterSpec> spec = co_await read_when_there(call, read);
    co_return spec;
  }

  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    Result<ClusterStatus> status = co_await listed_status(MpiResolver::do_cluster_status(call));
    if (status || status.error().code() != Errc::conflict) co_return status;
    // No variable of a running process changes: what contradicts itself now does so at each later poll.
    Failure failure = status.error();
    failure.with_code(Errc::failed_precondition);
    co_return failure;
  }
  bool has_fixed_members() const override { return true; }

  Result<std::optional<std::string>> do_task_type() const override {
    return task_type_ ? task_type_ : std::optional<std::string>(options_.job());
  }
  Result<std::optional<int>> do_task_id() const override {
    if (task_id_) return task_id_;
    if (is_job_script()) return task_of_script();
    const Result<MpiProcess> found = process();
    if (!found) return found.error();
    return std::optional<int>(found->rank);
  }

 private:
  const Environment& environment() const { return *impl_of(runtime()).environment; }

  MpiHostReader reader() const {
    const Runtime::Impl& impl = impl_of(runtime());
    return MpiHostReader(environment(), *impl.files, impl.limits.max_body_bytes, impl.limits.max_endpoints);
  }

  bool is_job_script() const { return options_.hostfile().empty() && is_mpi_job_script(environment()); }

  // Other launchers may number the hosts, such as Azure ML's with NODE_RANK. The name of the machine does not say enough: a script that
  // starts the job by mpirun itself is on the first of them.
  Result<std::optional<int>> task_of_script() const {
    const Result<ClusterSpec> spec = read_cluster();
    if (!spec) return spec.error();
    const Result<OwnTask> own = find_own_task(*spec, environment(), OwnMachine());
    if (own) return std::optional<int>(own->index);
    if (own.error().code() != Errc::not_found) return own.error();
    return Failure(Errc::failed_precondition, fmt::format("mpi: this process has the hosts of a job ({}), but mpirun or mpiexec has not "
                                                          "started it: its task is not known",
                                                          scheduler_variable(environment())))
        .with_hint("start it by mpirun or mpiexec, or say the task: --task JOB:INDEX");
  }

  Result<ClusterSpec> read_cluster() const {
    if (options_.port() == 0) return Failure(Errc::invalid_argument, "mpi: port is 0, not 1 to 65535");
    const Result<std::vector<HostSlots>> places = is_job_script() ? slots_of_script() : places_of_ranks();
    if (!places) return places.error();
    Result<std::vector<std::string>> addresses = addresses_of_slots(*places, options_.port(), impl_of(runtime()).limits.max_endpoints);
    if (!addresses) {
      Failure failure = addresses.error();
      failure.with_what("mpi: " + failure.what());
      return failure;
    }
    ClusterSpec spec;
    spec.set_job(options_.job(), *std::move(addresses));
    return spec;
  }

  Result<std::vector<HostSlots>> slots_of_script() const {
    const Result<MpiHosts> hosts = reader().of_job_script();
    if (!hosts) return hosts.error();
    return hosts->hosts;
  }

  Result<std::vector<HostSlots>> places_of_ranks() const {
    const Result<MpiProcess> found = process();
    if (!found) return found.error();
    const std::size_t max = impl_of(runtime()).limits.max_endpoints;
    if (static_cast<std::size_t>(found->size) > max)
      return Failure(Errc::limit_exceeded, fmt::format("mpi: {} processes, more than {}", found->size, max));
    const Result<MpiHosts> hosts = reader().of_process(*found, options_.hostfile());
    if (!hosts) return hosts.error();
    const Result<std::vector<std::string>> ranks = place_mpi_ranks(environment(), *found, *hosts, own_machine());
    if (!ranks) return ranks.error();
    std::vector<HostSlots> places;
    for (const std::string& host : *ranks) places.emplace_back(host, 1);
    return places;
  }

  MpiOptions options_;
};

}  // namespace

std::shared_ptr<MpiResolver> make_mpi_resolver(Runtime runtime, MpiOptions options) {
  return std::make_shared<MpiJob>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
