#include "resolvers/gce/gce_api.hpp"
#include "resolvers/gce/gce_doctor.hpp"
#include "resolvers/gce/rules/gce_rules.hpp"
#include "resolvers/target_keys.hpp"
#include "rollcall/gce_resolver.hpp"

namespace rollcall {
namespace {

constexpr TargetWord<GceOrder> gce_orders[] = {{"address", GceOrder::address}, {"name", GceOrder::name}, {"topology", GceOrder::topology}};
constexpr TargetWord<GceAddress> gce_families[] = {{"ipv4", GceAddress::ipv4}, {"ipv6", GceAddress::ipv6}};
constexpr TargetWord<GceLookup> gce_lookups[] = {{"auto", GceLookup::automatic}, {"get", GceLookup::get}, {"list", GceLookup::list}};

// clang-format off
constexpr TargetKeys gce_keys(
    text_key("project", &GceOptions::project, "the project's id; default: the environment, gcloud's configuration, the metadata server"),
    text_key("zone", &GceOptions::zone, "such as us-central1-a; default: the environment, gcloud's configuration, the metadata server"),
    text_key("region", &GceOptions::region, "of a regional group, in the place of zone"),
    port_key("port", &GceOptions::port, "the port of every member; this or named_port is needed"),
    text_key("named_port", &GceOptions::named_port, "a port that the group names"),
    text_key("type", &GceOptions::task_type, "the job's name; default: worker"),
    task_key("task", &GceOptions::task_id, "this task's index; default: 0"),
    text_key("rpc_layer", &GceOptions::rpc_layer, "default: grpc; empty: none"),
    word_key("order", &GceOptions::order, gce_orders, "is not address or name or topology",
             "address (default: as text), name (worker-2 before worker-10) or topology (neighbours in the network together)"),
    word_key("address", &GceOptions::address, gce_families, "is not ipv4 or ipv6", "ipv4 (default) or ipv6"),
    text_key("nic", &GceOptions::network_interface, "such as nic1; default: the first"),
    word_key("lookup", &GceOptions::lookup, gce_lookups, "is not auto or get or list",
             "get, list or auto (default: list for more than 256 members)"),
    flag_key("partial", &GceOptions::allow_partial, "true: take incomplete lists, and say what is missing"),
    trusted(text_key("endpoint", &GceOptions::endpoint, "replaces https://compute.googleapis.com/compute/v1/")));
// clang-format on

Result<std::shared_ptr<ClusterResolver>> make_gce(Runtime runtime, const Target& target) {
  Result<GceOptions> options = gce_options(target);
  if (!options) return options.error();
  return make_gce_resolver(std::move(runtime), std::move(*options));
}

std::optional<FoundKind> gce_completes(std::string_view) { return FoundKind::instance_group; }

std::string_view gce_task_order(const Target& target, const ClusterResolver&) {
  const std::optional<std::string> order = target.get("order");
  if (order == "name") return "by the names of instances";
  return order == "topology" ? "by cluster, block, sub-block and host of the instances" : "by the addresses, as text";
}

}  // namespace

Result<GceOptions> gce_options(const Target& target) {
  if (target.body.empty()) {
    return Failure(Errc::invalid_argument, "gce: names no instance group").with_hint("gce:GROUP,zone=ZONE,port=8470");
  }
  GceOptions options(target.body);
  if (const Result<void> set = gce_keys.set(target, options); !set) return set.error();
  return options;
}

extern const TargetScheme gce_scheme;
constexpr TargetScheme gce_scheme = {
    .name = "gce",
    .synopsis = "gce:GROUP[,zone=Z|,region=R][,project=P],port=N…",
    .summary = "the running members of a Compute Engine instance group",
    .example = "gce:workers,zone=us-central1-a,port=8470,order=name",
    .keys = gce_keys.names,
    .task_is_masters = true,
    .make = make_gce,
    .rules = &gce_rules,
    .completes = gce_completes,
    .doctor = doctor_gce,
    .task_order = gce_task_order,
};

}  // namespace rollcall
