// A TPU, and a queued resource of TPUs, whose cluster a service is asked for. Devices, types and slices are asked of the resolver behind.
#include "resolvers/tpu/served_tpu.hpp"

#include "fleet/client/served_resolver.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/tpu_slices.hpp"

namespace rollcall {
namespace {

class ServedSlices : public TpuSlicesResolver {
 public:
  asio::awaitable<Result<std::vector<TpuSlice>>> try_slices(CallOptions options) override {
    return slices_of(behind())->try_slices(std::move(options));
  }

 private:
  virtual ClusterResolver& behind() const = 0;
};

class ServedTpu final : public Served<TpuResolver>, public ServedSlices {
 public:
  using Served::Served;
  std::string name() const override { return tpu().name(); }
  bool uses_api() const override { return tpu().uses_api(); }
  int coordinator_socket() const override { return tpu().coordinator_socket(); }
  asio::awaitable<Result<TpuSystemMetadata>> do_system_metadata(Call& call, bool waits) override {
    return tpu().do_system_metadata(call, waits);
  }
  // As TpuResolver has it, with this one's cluster.
  asio::awaitable<Result<std::string>> do_master(Call& call, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override {
    const bool is_given_alone = !task_type || !task_id;
    if (is_given_alone) {  // [facts: tpu-master]
      task_type = task_type_ ? task_type_ : first_type();
      task_id = task_type_ && task_id_ ? *task_id_ : 0;
    }
    if (rpc_layer && rpc_layer->empty()) rpc_layer.reset();
    if (!rpc_layer && rpc_layer_.value_or("").empty()) rpc_layer = "grpc";
    return Served::do_master(call, std::move(task_type), task_id, std::move(rpc_layer));
  }
  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                 std::optional<int> task_id) override {
    return local().do_num_accelerators(call, std::move(task_type), task_id);
  }
  asio::awaitable<Result<std::vector<DeviceAttributes>>> do_list_devices(Call& call) override { return local().do_list_devices(call); }

 private:
  ClusterResolver& behind() const override { return local(); }
  TpuResolver& tpu() const { return *tpu_of(local()); }
  // The job of a TPU's workers has the name of its task type.
  std::optional<std::string> job() const override { return task_type_ != first_type() ? task_type_ : std::nullopt; }
};

class ServedQueued final : public Served<ClusterResolver>, public ServedSlices {
 public:
  using Served::Served;
  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                 std::optional<int> task_id) override {
    return local().do_num_accelerators(call, std::move(task_type), task_id);
  }

 private:
  ClusterResolver& behind() const override { return local(); }
};

}  // namespace

std::shared_ptr<ClusterResolver> make_served_tpu(std::shared_ptr<RemoteServers> servers, std::shared_ptr<ClusterResolver> local,
                                                 Target target) {
  if (tpu_of(*local)) return std::make_shared<ServedTpu>(std::move(servers), std::move(local), std::move(target));
  return std::make_shared<ServedQueued>(std::move(servers), std::move(local), std::move(target));
}

}  // namespace rollcall
