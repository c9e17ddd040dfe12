#include <fmt/format.h>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "call/file_reading.hpp"
#include "call/runtime_impl.hpp"
#include "cluster/host_file.hpp"
#include "readiness/fixed_members.hpp"
#include "resolvers/launchers/mpi_process.hpp"
#include "resolvers/listed_status.hpp"
#include "rollcall/endpoint.hpp"

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
    return listed_status(MpiResolver::do_cluster_status(call));
  }
  bool has_fixed_members() const override { return true; }

  Result<std::optional<std::string>> do_task_type() const override {
    return task_type_ ? task_type_ : std::optional<std::string>(options_.job());
  }
  Result<std::optional<int>> do_task_id() const override {
    if (task_id_) return task_id_;
    const Result<MpiProcess> found = process();
    if (!found) return found.error();
    return std::optional<int>(found->rank);
  }

 private:
  const Environment& environment() const { return *impl_of(runtime()).environment; }

  Result<ClusterSpec> read_cluster() const {
    if (options_.port() == 0) return Failure(Errc::invalid_argument, "mpi: port is 0, not 1 to 65535");
    const Result<MpiProcess> found = process();
    if (!found) return found.error();
    const Result<std::vector<HostSlots>> hosts = find_hosts(*found);
    if (!hosts) return hosts.error();
    const auto size = static_cast<std::size_t>(found->size);
    Result<std::vector<std::string>> addresses = addresses_of_slots(*hosts, options_.port(), size);
    if (!addresses) {
      Failure failure = addresses.error();
      failure.with_what("mpi: " + failure.what());
      return failure;
    }
    if (addresses->size() < size) {
      return Failure(Errc::failed_precondition,
                     fmt::format("mpi: {} processes, but the hostfile has {} slots: the places of the others are not known", found->size,
                                 addresses->size()))
          .with_hint("give the hostfile the slots that mpirun uses (slots=N)");
    }
    ClusterSpec spec;
    spec.set_job(options_.job(), *std::move(addresses));
    return spec;
  }

  Result<std::vector<HostSlots>> find_hosts(const MpiProcess& found) const {
    auto [variable, path] = find_mpi_hostfile(environment());
    if (!options_.hostfile().empty()) {
      variable = "hostfile";
      path = options_.hostfile();
    }
    if (!path.empty()) return read_hostfile(variable, path);
    if (found.size == 1 || found.local_size == found.size) {
      const Result<std::string> host = own_host();
      if (!host) return host.error();
      HostSlots here;
      here.host = *host;
      here.slots = found.size;
      return std::vector<HostSlots>{here};
    }
    return Failure(Errc::failed_precondition,
                   fmt::format("mpi: this is process {} of {}, and {} does not say on which hosts the others are", found.rank, found.size,
                               found.launcher))
        .with_hint("give the file that mpirun was given: hostfile=PATH");
  }

  Result<std::string> own_host() const {
    const std::string name = environment().get("PMIX_HOSTNAME").value_or("");
    if (name.empty()) return std::string("localhost");
    const Result<Endpoint> endpoint = Endpoint::parse(name);
    if (endpoint && !endpoint->port) return endpoint->host;
    return Failure(Errc::invalid_argument, fmt::format("mpi: PMIX_HOSTNAME is {}, which is no host", quoted(name, 100)));
  }

  Result<std::vector<HostSlots>> read_hostfile(const std::string& variable, const std::string& path) const {
    if (const Result<void> fine = check_path(fmt::format("mpi: {}", variable), path); !fine) return fine.error();
    const Runtime::Impl& impl = impl_of(runtime());
    const Result<std::string> text = impl.files->read(path, impl.limits.max_body_bytes);
    Failure failure;
    if (text) {
      Result<std::vector<HostSlots>> hosts = parse_mpi_hosts(without_byte_order_mark(*text), impl.limits.max_endpoints);
      if (hosts) return hosts;
      failure = hosts.error();
    } else {
      failure = text.error();
    }
    failure.with_what(fmt::format("mpi: {}: {}", variable, failure.what()));
    return std::move(failure).with_target(path_text(path));
  }

  MpiOptions options_;
};

}  // namespace

std::shared_ptr<MpiResolver> make_mpi_resolver(Runtime runtime, MpiOptions options) {
  return std::make_shared<MpiJob>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
