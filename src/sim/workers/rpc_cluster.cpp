// The workers that a master asks during a call.
#include <fmt/format.h>

#include "rollcall/cluster_spec.hpp"
#include "sim/workers/workers.hpp"

namespace rollcall::sim {

namespace {

// Source: tensorflow/core/distributed_runtime/master.cc, CreateSession with config.cluster_def.
class ListedCluster {
 public:
  ListedCluster(const Model& model, RpcCluster& into, Duration now) : model_(model), into_(into), booted_as_(into.own), now_(now) {}

  void read(const ClusterSpec& spec, std::string_view target) {
    const std::size_t scheme = target.find("://");
    const std::string_view master = scheme == std::string_view::npos ? target : target.substr(scheme + 3);
    bool is_found = false;
    for (const ClusterSpec::Job& job : spec.job_list()) {
      for (const auto& [index, address] : job.tasks) {
        if (address != master) {
          into_.others.push_back(worker_named(address, job.name, index));
        } else if (is_found) {
          return refuse(fmt::format("Found multiple matching tasks that correspond to to the master. Master target: '{}'.", target));
        } else if (booted_as_.job == job.name && booted_as_.task == index) {
          return refuse(
              fmt::format("The ClusterSpec names the job and task index to be the same names that were provided when the server booted. "
                          "This is currently not allowed. Job: {}, task index: {}",
                          job.name, index));
        } else {
          is_found = true;
          into_.own.job = job.name;
          into_.own.task = index;
        }
      }
    }
    if (!is_found) refuse("The master (current machine) is not included in the provided cluster_def.");
  }

 private:
  void refuse(std::string why) { into_.refusal = RpcAnswer(RpcStatus::invalid_argument, std::move(why)); }

  // A worker that is not in the file never answers.
  WorkerNow worker_named(const std::string& text, const std::string& job, int task) const {
    WorkerNow out;
    const auto address = Endpoint::parse(text);
    const auto place = address && address->port ? find_worker(model_, *address, now_) : std::nullopt;
    if (place) out = worker_at(model_, *place, now_);
    out.job = job;
    out.task = task;
    return out;
  }

  const Model& model_;
  RpcCluster& into_;
  WorkerNow booted_as_;
  Duration now_;
};

}  // namespace

RpcCluster cluster_for(const Model& model, const RpcRequest& request, const WorkerPlace& place, Duration now) {
  RpcCluster out;
  out.own = worker_at(model, place, now);
  const bool creates = request.method == create_session_method;
  if (!creates && request.method != list_devices_method) return out;
  if (creates) {
    const auto config = bytes_field(request.message, 2);
    const auto cluster = config ? bytes_field(*config, 14) : std::nullopt;
    const auto target = bytes_field(request.message, 3);
    const auto spec = ClusterSpec::from_cluster_def(cluster.value_or(""));
    if (!cluster || !target || !spec) {
      out.refusal = RpcAnswer(RpcStatus::internal, "the request is no protobuf");
      return out;
    }
    out.is_given = !cluster->empty();
    if (out.is_given) {
      ListedCluster(model, out, now).read(*spec, *target);
      return out;
    }
  }
  if (out.own.is_alone) return out;
  for (const WorkerPlace& other : cluster_of(model, place, now)) {
    if (other.index != place.index) out.others.push_back(worker_at(model, other, now));
  }
  return out;
}

}  // namespace rollcall::sim
