#include <fmt/format.h>

#include <array>

#include "core/text.hpp"
#include "resolve/target_schemes.hpp"
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

// `KEY=WORD`, one of a few; none when the key is missing.
template <class Value, std::size_t N>
Result<std::optional<Value>> gce_word(const Target& target, std::string_view key,
                                      const std::array<std::pair<std::string_view, Value>, N>& words) {
  const std::optional<std::string> text = target.get(key);
  if (!text) return std::optional<Value>();
  std::string known;
  for (const auto& [word, value] : words) {
    if (word == *text) return std::optional<Value>(value);
    known += fmt::format("{}{}", known.empty() ? "" : " or ", word);
  }
  return Failure(Errc::invalid_argument, fmt::format("gce: {}={} is not {}", key, quoted(*text), known));
}

Result<void> read_words(const Target& target, GceOptions& options) {
  constexpr std::array<std::pair<std::string_view, GceOrder>, 2> orders = {{{"address", GceOrder::address}, {"name", GceOrder::name}}};
  constexpr std::array<std::pair<std::string_view, GceAddress>, 2> families = {{{"ipv4", GceAddress::ipv4}, {"ipv6", GceAddress::ipv6}}};
  constexpr std::array<std::pair<std::string_view, GceLookup>, 3> lookups = {
      {{"auto", GceLookup::automatic}, {"get", GceLookup::get}, {"list", GceLookup::list}}};
  const auto order = gce_word(target, "order", orders);
  if (!order) return order.error();
  if (*order) options.order(**order);
  const auto family = gce_word(target, "address", families);
  if (!family) return family.error();
  if (*family) options.address(**family);
  const auto lookup = gce_word(target, "lookup", lookups);
  if (!lookup) return lookup.error();
  if (*lookup) options.lookup(**lookup);
  return Result<void>();
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
