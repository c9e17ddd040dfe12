#include <fmt/format.h>

#include "base/text.hpp"
#include "resolvers/target_schemes.hpp"
#include "rollcall/gce_resolver.hpp"

namespace rollcall {
namespace {

constexpr TargetKey gce_keys[] = {
    {"project", "the project's id; default: the environment, then the metadata server"},
    {"zone", "such as us-central1-a; default: the environment, then the metadata server"},
    {"region", "of a regional group, in the place of zone"},
    {"port", "the port of every member; this or named_port is needed"},
    {"named_port", "a port that the group names"},
    {"type", "the job's name; default: worker"},
    {"task", "this task's index; default: 0"},
    {"rpc_layer", "default: grpc; empty: none"},
    {"order", "address (default: as text) or name (worker-2 before worker-10)"},
    {"address", "ipv4 (default) or ipv6"},
    {"nic", "such as nic1; default: the first"},
    {"lookup", "get, list or auto (default: list for more than 256 members)"},
    {"partial", "true: take incomplete lists, and say what is missing"},
    {"endpoint", "replaces https://compute.googleapis.com/compute/v1/"},
};

constexpr TargetWord<GceOrder> gce_orders[] = {{"address", GceOrder::address}, {"name", GceOrder::name}};
constexpr TargetWord<GceAddress> gce_families[] = {{"ipv4", GceAddress::ipv4}, {"ipv6", GceAddress::ipv6}};
constexpr TargetWord<GceLookup> gce_lookups[] = {{"auto", GceLookup::automatic}, {"get", GceLookup::get}, {"list", GceLookup::list}};

Result<void> read_words(const Target& target, GceOptions& options) {
  Result<void> fine = word_option(target, "order", gce_orders, options, &GceOptions::order, "is not address or name");
  if (fine) fine = word_option(target, "address", gce_families, options, &GceOptions::address, "is not ipv4 or ipv6");
  if (fine) fine = word_option(target, "lookup", gce_lookups, options, &GceOptions::lookup, "is not auto or get or list");
  return fine;
}

Result<std::shared_ptr<ClusterResolver>> make_gce(Runtime runtime, const Target& target) {
  if (target.body.empty()) {
    return Failure(Errc::invalid_argument, "gce: names no instance group").with_hint("gce:GROUP,zone=ZONE,port=8470");
  }
  GceOptions options(target.body);
  if (const auto v = target.get("project")) options.project(*v);
  if (const auto v = target.get("zone")) options.zone(*v);
  if (const auto v = target.get("region")) options.region(*v);
  const Result<std::optional<std::uint16_t>> port = port_option(target);
  if (!port) return port.error();
  if (*port) options.port(**port);
  if (const auto v = target.get("named_port")) options.named_port(*v);
  if (const auto v = target.get("type")) options.task_type(*v);
  const Result<std::optional<int>> task = task_option(target);
  if (!task) return task.error();
  if (*task) options.task_id(**task);
  if (const auto v = target.get("rpc_layer")) options.rpc_layer(*v);
  const Result<void> words = read_words(target, options);
  if (!words) return words.error();
  if (const auto v = target.get("nic")) options.network_interface(*v);
  const Result<std::optional<bool>> partial = flag_option(target, "partial");
  if (!partial) return partial.error();
  if (*partial) options.allow_partial(**partial);
  if (const auto v = target.get("endpoint")) options.endpoint(*v);
  return make_gce_resolver(std::move(runtime), std::move(options));
}

}  // namespace

extern const TargetScheme gce_scheme;
constexpr TargetScheme gce_scheme = {
    .name = "gce",
    .synopsis = "gce:GROUP[,zone=Z|,region=R][,project=P],port=N…",
    .summary = "the running members of a Compute Engine instance group",
    .example = "gce:workers,zone=us-central1-a,port=8470,order=name",
    .keys = gce_keys,
    .make = make_gce,
};

}  // namespace rollcall
