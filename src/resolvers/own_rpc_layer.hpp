// Base of resolvers whose master() treats an empty rpc_layer as not given, so that the resolver's own applies (upstream's `or`).
#pragma once

#include "rollcall/resolver.hpp"

namespace rollcall {

class OwnRpcLayerResolver : public ClusterResolver {
 public:
  asio::awaitable<Result<std::string>> do_master(Call& call, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override {
    if (rpc_layer && rpc_layer->empty()) rpc_layer.reset();
    return ClusterResolver::do_master(call, std::move(task_type), task_id, std::move(rpc_layer));
  }

 protected:
  using ClusterResolver::ClusterResolver;
};

}  // namespace rollcall
