#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "resolvers/target_schemes.hpp"
#include "rollcall/auto_resolver.hpp"

namespace rollcall {
namespace {

constexpr TargetKey auto_keys[] = {
    {"from", "look only at these, as tpu_pod+tpu_vm: tfconfig, sagemaker, mpi, slurm, lws, tpu_pod, ray, job, tpu_vm"},
    {"port", "of every task; default: the place's own, 8470 where it has none"},
    {"job", "of places that know hosts only; default: worker"},
    {"task", "this task's index, instead of what the place says"},
    {"rpc_layer", "default: the place's own, grpc where it has none"},
};

Result<std::shared_ptr<ClusterResolver>> make_auto(Runtime runtime, const Target& target) {
  if (!target.body.empty()) {
    return Failure(Errc::invalid_argument, fmt::format("auto: finds out where it is and takes no name, not {}", quoted(target.body)))
        .with_hint("auto: alone; from=PLACE+PLACE says where to look");
  }
  AutoOptions options;
  const auto is_from = [](const auto& option) { return option.first == "from"; };
  const auto from = std::find_if(target.options.begin(), target.options.end(), is_from);
  if (from != target.options.end()) {
    std::vector<Launcher> places;
    for (const std::string& item : from->second) {
      const Result<Launcher> place = parse_auto_place(item);
      if (!place) return place.error();
      places.push_back(*place);
    }
    options.from(std::move(places));
  }
  const Result<std::optional<std::uint16_t>> port = port_option(target);
  if (!port) return port.error();
  const Result<std::optional<int>> task = task_option(target);
  if (!task) return task.error();
  if (*port) options.port(**port);
  if (*task) options.task_id(**task);
  if (const auto v = target.get("job")) options.job(*v);
  if (const auto v = target.get("rpc_layer")) options.rpc_layer(*v);
  return std::shared_ptr<ClusterResolver>(make_auto_resolver(std::move(runtime), std::move(options)));
}

}  // namespace

extern const TargetScheme auto_scheme;
constexpr TargetScheme auto_scheme = {
    .name = "auto",
    .synopsis = "auto:[from=PLACE+PLACE…][,task=N]…",
    .summary = "the cluster that this process belongs to, found out from environment, files and the metadata server",
    .example = "auto:",
    .keys = auto_keys,
    .make = make_auto,
};

}  // namespace rollcall
