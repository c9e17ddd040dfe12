// Allowed keys are listed: a key that a resolver gets later is not served until it is added here.
#include "fleet/wire/served_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/order.hpp"
#include "base/text.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::array<std::string_view, 5> tpu_keys_served = {"project", "zone", "job", "slices", "api"};
constexpr std::array<std::string_view, 13> gce_keys_served = {"project",   "zone",  "region",  "port", "named_port", "type",   "task",
                                                              "rpc_layer", "order", "address", "nic",  "lookup",     "partial"};
constexpr std::array<std::string_view, 7> pod_keys_served = {"port", "address", "family", "order", "rpc_layer", "type", "task"};
constexpr std::array<std::string_view, 8> dns_keys_served = {"port", "job", "family", "srv", "wait", "type", "task", "rpc_layer"};

class ServedScheme {
 public:
  std::string_view name;
  std::span<const std::string_view> keys;
  bool takes_jobs;
};
constexpr std::array<ServedScheme, 4> served_schemes = {
    ServedScheme{"tpu", tpu_keys_served, false}, ServedScheme{"gce", gce_keys_served, false},
    ServedScheme{"kubernetes", pod_keys_served, true}, ServedScheme{"dns", dns_keys_served, false}};

Failure not_served(const Target& target, std::string_view why) {
  return Failure(Errc::invalid_argument, fmt::format("{} cannot be asked of a service: {}", quoted(target.to_text()), why))
      .with_hint("a service answers for tpu:, gce:, kubernetes: and dns: targets by name, which mean the same to everybody");
}

// True if the name means the same to all clients.
std::string_view name_fault(const Target& target) {
  if (target.body.empty()) return "it names nothing, so that it means what the asker's own surroundings say";
  if (target.scheme == "kubernetes") return target.body == "." ? "the namespace is that of the asker" : "";
  if (target.scheme != "tpu") return {};
  if (target.body == "local") return "it means the asker's own machine";
  const std::string_view name = trim(target.body);
  // Addresses, and the names that only Google's own machines resolve: see plan_tpu().
  if (name.find("://") != std::string_view::npos || name.starts_with("localhost:") || name.starts_with("/bns"))
    return "it names addresses, not a TPU";
  return {};
}

}  // namespace

Result<void> check_served(const Target& target) {
  const auto* const scheme =
      std::find_if(served_schemes.begin(), served_schemes.end(), [&target](const ServedScheme& one) { return one.name == target.scheme; });
  if (scheme == served_schemes.end()) return not_served(target, fmt::format("{}: means the asker's own surroundings", target.scheme));
  if (const std::string_view fault = name_fault(target); !fault.empty()) return not_served(target, fault);
  for (const auto& [key, items] : target.options) {
    if (scheme->takes_jobs && key.starts_with("job.")) continue;
    if (std::find(scheme->keys.begin(), scheme->keys.end(), key) == scheme->keys.end())
      return not_served(target, fmt::format("{}= is for the asker's own use", printable(key, 64)));
  }
  return {};
}

Target canonical_target(Target target) {
  const auto rank = [](std::string_view key) {
    return key == "project" ? 0 : key == "zone" || key == "region" ? 1 : key.starts_with("job.") ? 3 : 2;
  };
  sort_stably(target.options, [&rank](const auto& a, const auto& b) {
    const int of_a = rank(a.first);
    const int of_b = rank(b.first);
    return of_a != of_b ? of_a < of_b : of_a != 3 && a.first < b.first;
  });
  return target;
}

}  // namespace rollcall::fleet
