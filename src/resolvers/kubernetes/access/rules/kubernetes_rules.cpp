// Decision: `context` is not among the keys: the service's settings alone choose the cluster.
#include "resolvers/kubernetes/access/rules/kubernetes_rules.hpp"

#include "cluster/namespace_name.hpp"

namespace rollcall {
namespace {

constexpr ServedKey pod_keys_served[] = {{"port"}, {"address"}, {"family"}, {"order"}, {"rpc_layer", true}, {"type", true}, {"task", true}};

std::string_view namespace_fault(const Target& target) { return namespace_in(target) == "." ? "the namespace is that of the client" : ""; }

}  // namespace

constexpr SchemeRules kubernetes_rules = {
    .scheme = "kubernetes",
    .keys = pod_keys_served,
    .serves_jobs = true,
    .place = SchemePlace::namespace_name,
    .name_fault = namespace_fault,
};

}  // namespace rollcall
