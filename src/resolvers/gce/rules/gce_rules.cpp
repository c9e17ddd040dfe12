#include "resolvers/gce/rules/gce_rules.hpp"

namespace rollcall {
namespace {

// `type` names the group's job, so that it is part of the target.
constexpr ServedKey gce_keys_served[] = {{"project"},         {"zone"},  {"region"},  {"port"}, {"named_port"}, {"type"},   {"task", true},
                                         {"rpc_layer", true}, {"order"}, {"address"}, {"nic"},  {"lookup"},     {"partial"}};

}  // namespace

constexpr SchemeRules gce_rules = {
    .scheme = "gce",
    .keys = gce_keys_served,
    .place = SchemePlace::zone,
    .noun = "instance group",
};

}  // namespace rollcall
