// The resolver that asks a service first: the cluster comes from the service, everything else from the resolver behind it.
#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/client/served_cluster.hpp"
#include "fleet/wire/served_target.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/tpu_slices.hpp"

namespace rollcall {
namespace {

// `Base` is the class of the resolver behind it, for callers that use dynamic_cast.
template <class Base>
class Served : public Base {
 public:
  Served(std::shared_ptr<RemoteServers> servers, std::shared_ptr<ClusterResolver> local, Target target)
      : Base(local->runtime()), cluster_(std::move(servers), local, std::move(target)), first_type_(local->do_task_type().value()) {
    this->task_type_ = first_type_;
    this->task_id_ = local->do_task_id().value();
    this->rpc_layer_ = local->do_rpc_layer().value();
  }

  std::string describe() const override { return cluster_.local().describe(); }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override { return cluster_.spec(call, job()); }
  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override { return cluster_.status(call, job()); }
  bool supports_watch() const override { return true; }
  asio::awaitable<Result<void>> do_follow(Call& call, StatusObserver& feed) override { return cluster_.follow(call, job(), feed); }

  // As in those resolvers, with the cluster of this one.
  asio::awaitable<Result<std::string>> do_master(Call& call, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override {
    const bool is_given_alone = !task_type || !task_id;
    if (is_one_tpu() && is_given_alone) {  // [facts: tpu-master]
      task_type = this->task_type_ ? this->task_type_ : first_type_;
      task_id = this->task_type_ && this->task_id_ ? *this->task_id_ : 0;
    }
    if (!is_queued() && !is_dns() && rpc_layer && rpc_layer->empty()) rpc_layer.reset();
    if (is_one_tpu() && !rpc_layer && this->rpc_layer_.value_or("").empty()) rpc_layer = "grpc";
    return Base::do_master(call, std::move(task_type), task_id, std::move(rpc_layer));
  }
  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                 std::optional<int> task_id) override {
    if (!knows_tpus()) return Base::do_num_accelerators(call, std::move(task_type), task_id);
    return local().do_num_accelerators(call, std::move(task_type), task_id);
  }
  asio::awaitable<Result<std::vector<DeviceAttributes>>> do_list_devices(Call& call) override {
    return is_one_tpu() ? local().do_list_devices(call) : Base::do_list_devices(call);
  }
  Result<std::optional<std::string>> do_environment() const override { return cluster_.local().do_environment(); }
  Result<void> check_task_type(const std::optional<std::string>& value) const override { return cluster_.local().check_task_type(value); }

 protected:
  /// The resolver behind this one, with the same properties.
  ClusterResolver& local() const {
    ClusterResolver& behind = cluster_.local();
    if (behind.do_task_type().value() != this->task_type_) (void)behind.set_task_type(this->task_type_);
    (void)behind.set_task_id(this->task_id_);
    (void)behind.set_rpc_layer(this->rpc_layer_);
    return behind;
  }

 private:
  bool is_dns() const { return cluster_.target().scheme == "dns"; }
  bool is_queued() const { return knows_tpus() && !is_one_tpu(); }
  bool is_one_tpu() const { return std::is_same_v<Base, TpuResolver>; }
  bool knows_tpus() const { return cluster_.target().scheme == "tpu"; }
  // The job of a TPU's workers is named by its task type. The caller may ask the resolver behind this one next.
  std::optional<std::string> job() const {
    (void)local();
    return is_one_tpu() && this->task_type_ != first_type_ ? this->task_type_ : std::nullopt;
  }

  ServedCluster cluster_;
  std::optional<std::string> first_type_;
};

class ServedSlices : public TpuSlicesResolver {
 public:
  asio::awaitable<Result<std::vector<TpuSlice>>> try_slices(CallOptions options) override {
    return dynamic_cast<TpuSlicesResolver&>(behind()).try_slices(std::move(options));
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

 private:
  ClusterResolver& behind() const override { return local(); }
  TpuResolver& tpu() const { return dynamic_cast<TpuResolver&>(local()); }
};

class ServedQueued final : public Served<ClusterResolver>, public ServedSlices {
 public:
  using Served::Served;

 private:
  ClusterResolver& behind() const override { return local(); }
};

class ServedOther final : public Served<ClusterResolver> {
 public:
  using Served::Served;
};

}  // namespace

Result<std::shared_ptr<ClusterResolver>> make_served_resolver(std::shared_ptr<ClusterResolver> local, const Target& target) {
  Result<std::shared_ptr<RemoteServers>> servers = RemoteServers::of(impl_of(local->runtime()));
  if (!servers) return servers.error();
  if (!*servers || !fleet::check_served(target)) return local;
  const bool has_properties = local->do_task_type() && local->do_task_id() && local->do_rpc_layer();
  if (!has_properties) return local;
  std::shared_ptr<ClusterResolver> made;
  if (dynamic_cast<const TpuResolver*>(local.get())) {
    made = std::make_shared<ServedTpu>(std::move(*servers), std::move(local), target);
  } else if (dynamic_cast<const TpuSlicesResolver*>(local.get())) {
    made = std::make_shared<ServedQueued>(std::move(*servers), std::move(local), target);
  } else {
    made = std::make_shared<ServedOther>(std::move(*servers), std::move(local), target);
  }
  return made;
}

}  // namespace rollcall
