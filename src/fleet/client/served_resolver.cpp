#include "fleet/client/served_resolver.hpp"

#include "call/runtime_impl.hpp"
#include "fleet/wire/served_target.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall {
namespace {

// Of a scheme that needs no class of its own.
class ServedOther final : public Served<ClusterResolver> {
 public:
  ServedOther(std::shared_ptr<RemoteServers> servers, std::shared_ptr<ClusterResolver> local, Target target, bool keeps_empty_rpc_layer)
      : Served(std::move(servers), std::move(local), std::move(target)), keeps_empty_rpc_layer_(keeps_empty_rpc_layer) {}

  asio::awaitable<Result<std::string>> do_master(Call& call, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override {
    if (!keeps_empty_rpc_layer_ && rpc_layer && rpc_layer->empty()) rpc_layer.reset();
    return Served::do_master(call, std::move(task_type), task_id, std::move(rpc_layer));
  }

 private:
  bool keeps_empty_rpc_layer_;
};

}  // namespace

Result<std::shared_ptr<ClusterResolver>> make_served_resolver(std::shared_ptr<ClusterResolver> local, const Target& target,
                                                              const TargetScheme& scheme) {
  Result<std::shared_ptr<RemoteServers>> servers = RemoteServers::of(impl_of(local->runtime()));
  if (!servers) return servers.error();
  if (!*servers || !fleet::check_served(target)) return local;
  const bool has_properties = local->do_task_type() && local->do_task_id() && local->do_rpc_layer();
  if (!has_properties) return local;
  if (scheme.make_served) return scheme.make_served(std::move(*servers), std::move(local), target);
  std::shared_ptr<ClusterResolver> made =
      std::make_shared<ServedOther>(std::move(*servers), std::move(local), target, scheme.keeps_empty_rpc_layer);
  return made;
}

}  // namespace rollcall
