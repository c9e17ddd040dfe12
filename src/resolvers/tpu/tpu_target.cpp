#include "rollcall/tpu_resolver.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "resolvers/target_keys.hpp"
#include "resolvers/tpu/rules/tpu_rules.hpp"
#include "resolvers/tpu/served_tpu.hpp"
#include "resolvers/tpu/tpu_doctor.hpp"
#include "rollcall/queued_resource.hpp"

namespace rollcall {
namespace {

using Queued = QueuedResourceOptions;

constexpr TargetWord<TpuApiVersion> api_words[] = {
    {"v2", TpuApiVersion::v2}, {"v1", TpuApiVersion::v1}, {"v2alpha1", TpuApiVersion::v2alpha1}};
constexpr TargetWord<SliceJobs> slice_words[] = {{"merged", SliceJobs::merged}, {"jobs", SliceJobs::each}};

// One scheme, two classes of options: a row with one setter has no effect on the other class.
// clang-format off
constexpr TargetKeys tpu_keys(
    text_key("project", either(&TpuOptions::project, &Queued::project),
             "the project's id; default: the environment, gcloud's configuration, the metadata server"),
    text_key("zone", either(&TpuOptions::zone, &Queued::zone),
             "such as us-central2-b; default: the environment, gcloud's configuration, the metadata server"),
    text_key("job", either(&TpuOptions::job_name, &Queued::job_name), "the workers' job; default: worker"),
    word_key("slices", &Queued::slices, slice_words, "is neither merged nor jobs",
             "of a queued resource: merged (default: one job) or jobs (worker0, worker1, … one for each slice)"),
    word_key("api", either(&TpuOptions::api_version, &Queued::api_version), api_words,
             "is not a version of the Cloud TPU API: v1, v2 or v2alpha1", "v2 (default), v1 or v2alpha1"),
    text_key("coordinator", &TpuOptions::coordinator_name, "adds a job of this name with one task"),
    text_key("coordinator_address", &TpuOptions::coordinator_address, "that task's address; default: a free port of this machine"),
    trusted(text_key("endpoint", either(&TpuOptions::endpoint, &Queued::endpoint), "replaces https://tpu.googleapis.com/")),
    trusted(text_key("discovery_url", either(&TpuOptions::discovery_url, &Queued::discovery_url),
                     "a discovery document that names the API's root")));
// clang-format on

Result<QueuedResourceOptions> queued_options(const Target& target) {
  std::string name = target.body.starts_with(queued_prefix) ? target.body.substr(queued_prefix.size()) : target.body;
  QueuedResourceOptions options(std::move(name));
  if (const Result<void> set = tpu_keys.set(target, options); !set) return set.error();
  for (const std::string_view key : {"coordinator", "coordinator_address"}) {
    if (target.get(key)) return Failure(Errc::invalid_argument, fmt::format("{}= goes with a TPU, not with a queued resource", key));
  }
  return options;
}

Result<std::shared_ptr<ClusterResolver>> make_tpu(Runtime runtime, const Target& target) {
  if (names_queued_resource(target)) {
    Result<QueuedResourceOptions> queued = queued_options(target);
    if (!queued) return queued.error();
    return make_queued_resource_resolver(std::move(runtime), std::move(*queued));
  }
  Result<TpuOptions> options = tpu_options(target);
  if (!options) return options.error();
  return make_tpu_resolver(std::move(runtime), std::move(*options));
}

std::optional<FoundKind> tpu_completes(std::string_view name) {
  return name.starts_with(queued_prefix) ? FoundKind::queued_resource : FoundKind::tpu;
}

std::string_view tpu_task_order(const Target&, const ClusterResolver&) { return "as networkEndpoints lists the workers"; }

}  // namespace

std::string_view to_string(TpuApiVersion version) noexcept {
  for (const auto& [word, meaning] : api_words) {
    if (meaning == version) return word;
  }
  return "unknown";
}

extern const TargetScheme tpu_scheme;
constexpr TargetScheme tpu_scheme = {
    .name = "tpu",
    .synopsis = "tpu:[NAME|qr/NAME][,zone=Z][,project=P]…",
    .summary =
        "a Cloud TPU, by name or full resource name; qr/NAME: a queued resource; grpc://host,…; local; no name: from the environment",
    .example = "tpu:trainer,zone=us-central2-b",
    .keys = tpu_keys.names,
    .task_is_masters = true,
    .make = make_tpu,
    .rules = &tpu_rules,
    .completes = tpu_completes,
    .doctor = doctor_tpu,
    .task_order = tpu_task_order,
    .tpu = tpu_options,
    .make_served = make_served_tpu,
};

Result<TpuOptions> tpu_options(const Target& target) {
  if (names_queued_resource(target)) {
    return Failure(Errc::invalid_argument, fmt::format("{} is a queued resource, which may have many TPUs", quoted(target.body, 80)))
        .with_hint("name one of its TPUs, or ask for its workers: rollcall spec");
  }
  if (target.get("slices")) {
    return Failure(Errc::invalid_argument, "slices= goes with a queued resource").with_hint("did you mean tpu:qr/NAME?");
  }
  TpuOptions options = target.body.empty() ? TpuOptions() : TpuOptions(target.body);
  if (const Result<void> set = tpu_keys.set(target, options); !set) return set.error();
  return options;
}

}  // namespace rollcall
