#include "resolvers/target_keys.hpp"
#include "rollcall/auto_resolver.hpp"

namespace rollcall {
namespace {

Result<void> read_places(const TargetValue& value, AutoOptions& options) {
  std::vector<Launcher> places;
  for (const std::string& item : value.items) {
    const Result<Launcher> place = parse_auto_place(item);
    if (!place) return place.error();
    places.push_back(*place);
  }
  options.from(std::move(places));
  return {};
}

// clang-format off
constexpr TargetKeys auto_keys(
    own_key("from", read_places, "look only at these, as tpu_pod+tpu_vm: tfconfig, sagemaker, mpi, slurm, vertex, lws, tpu_pod, volcano, skypilot, ray, job, batch, torch, jax, tpu_vm"),
    port_key("port", &AutoOptions::port, "of every task; default: the place's own, 8470 where it has none"),
    text_key("job", &AutoOptions::job, "of places that know hosts only; default: worker"),
    task_key("task", &AutoOptions::task_id, "this task's index, instead of what the place says"),
    text_key("rpc_layer", &AutoOptions::rpc_layer, "default: the place's own, grpc where it has none"));
// clang-format on

Result<std::shared_ptr<ClusterResolver>> make_auto(Runtime runtime, const Target& target) {
  Result<void> fine = check_no_name(target, "finds out where it is", "auto: alone; from=PLACE+PLACE says where to look");
  AutoOptions options;
  if (fine) fine = auto_keys.set(target, options);
  if (!fine) return fine.error();
  return make_auto_resolver(std::move(runtime), std::move(options));
}

const AutoResolver* auto_of(const ClusterResolver& resolver) { return dynamic_cast<const AutoResolver*>(&resolver); }

std::optional<AutoChoice> choice_of(const ClusterResolver& resolver) {
  const AutoResolver* const found = auto_of(resolver);
  return found ? found->choice() : std::nullopt;
}

std::string_view auto_task_order(const Target&, const ClusterResolver& resolver) {
  const std::optional<AutoChoice> choice = choice_of(resolver);
  if (choice && choice->place == Launcher::tpu_vm) return "as worker-network-endpoints lists the workers";
  if (choice && choice->place == Launcher::tpu_pod) return "as TPU_WORKER_HOSTNAMES or TPU_PROCESS_ADDRESSES lists the workers";
  return "as the launcher numbers them";
}

bool auto_is_slurm_step(const ClusterResolver& resolver) {
  const std::optional<AutoChoice> choice = choice_of(resolver);
  return choice && choice->place == Launcher::slurm;
}

std::optional<AutoTpu> auto_own_slice(const ClusterResolver& resolver) {
  std::optional<AutoChoice> choice = choice_of(resolver);
  return choice ? std::optional<AutoTpu>(std::move(choice->tpu)) : std::nullopt;
}

}  // namespace

extern const TargetScheme auto_scheme;
constexpr TargetScheme auto_scheme = {
    .name = "auto",
    .synopsis = "auto:[from=PLACE+PLACE…][,task=N]…",
    .summary = "the cluster that this process belongs to, found out from environment, files and the metadata server",
    .example = "auto:",
    .keys = auto_keys.names,
    .make = make_auto,
    .task_order = auto_task_order,
    .is_slurm_step = auto_is_slurm_step,
    .own_slice = auto_own_slice,
};

}  // namespace rollcall
