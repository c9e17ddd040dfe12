#include "resolve/target_schemes.hpp"

#include <fmt/format.h>

#include <iterator>

#include "core/text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view tpu_keys[] = {"project",  "zone",         "job", "api", "coordinator", "coordinator_address",
                                         "endpoint", "discovery_url"};
constexpr std::string_view simple_keys[] = {"type", "task", "master", "rpc_layer"};
constexpr std::string_view tfconfig_keys[] = {"type", "task", "rpc_layer"};

constexpr std::string_view tpu_meanings[] = {
    "the project's id; default: the environment, then the metadata server",
    "such as us-central2-b; default: the environment, then the metadata server",
    "the workers' job; default: worker",
    "v2 (default), v1 or v2alpha1",
    "adds a job of this name with one task",
    "that task's address; default: a free port of this machine",
    "replaces https://tpu.googleapis.com/",
    "a discovery document that names the API's root",
};
constexpr std::string_view simple_meanings[] = {"this task's job", "this task's index", "the master when no task is named", "such as grpc"};
constexpr std::string_view tfconfig_meanings[] = {"wins over the task's type in TF_CONFIG", "wins over the task's index in TF_CONFIG",
                                                  "wins over TF_CONFIG's"};
static_assert(std::size(tpu_keys) == std::size(tpu_meanings) && std::size(simple_keys) == std::size(simple_meanings) &&
              std::size(tfconfig_keys) == std::size(tfconfig_meanings));

constexpr TargetScheme schemes[] = {
    {"tpu", "tpu:[NAME][,zone=Z][,project=P]…",
     "a Cloud TPU, by name or full resource name; grpc://host,…; local; no name: from the environment", "tpu:trainer,zone=us-central2-b",
     tpu_keys, tpu_meanings, false},
    {"simple", "simple:job.NAME=HOST:PORT[+HOST:PORT…]…", "a cluster that is known already",
     "simple:job.worker=10.0.0.2:8470+10.0.0.3:8470,job.ps=10.0.0.4:2222", simple_keys, simple_meanings, true},
    {"tfconfig", "tfconfig:[type=T][,task=N]…", "the cluster that the variable TF_CONFIG describes", "tfconfig:", tfconfig_keys,
     tfconfig_meanings, false},
};

}  // namespace

std::span<const TargetScheme> target_schemes() { return schemes; }

const TargetScheme* find_scheme(std::string_view name) noexcept {
  for (const TargetScheme& scheme : schemes) {
    if (scheme.name == name) return &scheme;
  }
  return nullptr;
}

Result<void> check_keys(const Target& target, const TargetScheme& scheme) {
  for (const auto& [key, items] : target.options) {
    if (scheme.takes_jobs && key.starts_with("job.")) continue;
    bool is_known = false;
    for (const std::string_view known : scheme.keys) is_known = is_known || known == key;
    // An empty rpc_layer is a wish of its own: no prefix.
    if (is_known && items.empty() && key != "rpc_layer") {
      return Failure(Errc::invalid_argument, fmt::format("{}: {}= has no value", scheme.name, key))
          .with_hint(fmt::format("give one, or leave {} out", key));
    }
    if (is_known) continue;
    std::string hint = fmt::format("{}: takes {}{}", scheme.name, scheme.takes_jobs ? "job.NAME, " : "", fmt::join(scheme.keys, ", "));
    if (const auto near = nearest(key, scheme.keys)) hint = fmt::format("did you mean {}=?", *near);
    return Failure(Errc::invalid_argument, fmt::format("{}: has no option {}", scheme.name, quoted(key))).with_hint(std::move(hint));
  }
  return Result<void>();
}

}  // namespace rollcall
