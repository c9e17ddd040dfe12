// Which `dns:` targets a service answers for.
#include "rollcall/scheme_rules.hpp"

namespace rollcall {
namespace {

constexpr ServedKey dns_keys_served[] = {{"port"}, {"job"},        {"family"},     {"srv"},
                                         {"wait"}, {"type", true}, {"task", true}, {"rpc_layer", true}};

}  // namespace

extern const SchemeRules dns_rules;
constexpr SchemeRules dns_rules = {
    .scheme = "dns",
    .keys = dns_keys_served,
    .names_hosts = true,
};

}  // namespace rollcall
