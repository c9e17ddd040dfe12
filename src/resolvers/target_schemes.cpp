#include "rollcall/target_scheme.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "fleet/client/served_cluster.hpp"

namespace rollcall {

// One row for each resolver; the row itself stands in the resolver's NAME_target.cpp.
extern const TargetScheme tpu_scheme;
extern const TargetScheme simple_scheme;
extern const TargetScheme tfconfig_scheme;
extern const TargetScheme gce_scheme;
extern const TargetScheme slurm_scheme;
extern const TargetScheme sagemaker_scheme;
extern const TargetScheme file_scheme;
extern const TargetScheme mpi_scheme;
extern const TargetScheme kubernetes_scheme;
extern const TargetScheme dns_scheme;
extern const TargetScheme auto_scheme;

namespace {
// clang-format off
constexpr const TargetScheme* library_schemes[] = {
    &tpu_scheme,
    &simple_scheme,
    &tfconfig_scheme,
    &gce_scheme,
    &kubernetes_scheme,
    &slurm_scheme,
    &sagemaker_scheme,
    &file_scheme,
    &mpi_scheme,
    &dns_scheme,
    &auto_scheme,
};
// clang-format on
}  // namespace

AddedScheme::AddedScheme(const TargetScheme& scheme) noexcept : link_(scheme, scheme.name, scheme.rules) { link_scheme(link_); }
AddedScheme::~AddedScheme() { unlink_scheme(link_); }

std::vector<const TargetScheme*> target_schemes() {
  std::vector<const TargetScheme*> all;
  for (const TargetScheme* scheme : library_schemes) {
    if (find_scheme(scheme->name) == scheme) all.push_back(scheme);  // else an added one replaces it
  }
  for (const AddedSchemeLink* link = added_schemes(); link; link = link->next) all.push_back(link->scheme);
  return all;
}

const TargetScheme* find_scheme(std::string_view name) noexcept {
  for (const AddedSchemeLink* link = added_schemes(); link; link = link->next) {
    if (link->scheme->name == name) return link->scheme;
  }
  for (const TargetScheme* scheme : library_schemes) {
    if (scheme->name == name) return scheme;
  }
  return nullptr;
}

Result<void> check_keys(const Target& target, const TargetScheme& scheme) {
  for (const auto& [key, items] : target.options) {
    if (scheme.takes_jobs && key.starts_with("job.")) continue;
    const bool is_known = std::any_of(scheme.keys.begin(), scheme.keys.end(), [&](const TargetKey& known) { return known.name == key; });
    // An empty rpc_layer has a meaning: no prefix.
    if (is_known && items.empty() && key != "rpc_layer") {
      return Failure(Errc::invalid_argument, fmt::format("{}: {}= has no value", scheme.name, key))
          .with_hint(fmt::format("give one, or leave {} out", key));
    }
    if (is_known) continue;
    std::vector<std::string_view> names;
    for (const TargetKey& known : scheme.keys) names.push_back(known.name);
    std::string hint = fmt::format("{}: takes {}{}", scheme.name, scheme.takes_jobs ? "job.NAME, " : "", fmt::join(names, ", "));
    if (const auto near = nearest(key, names)) hint = fmt::format("did you mean {}=?", *near);
    return Failure(Errc::invalid_argument, fmt::format("{}: has no option {}", scheme.name, quoted(key))).with_hint(std::move(hint));
  }
  return Result<void>();
}

Result<void> check_needs_no_trust(const Target& target, const TargetScheme& scheme) {
  const auto refuse = [&scheme](std::string_view what) {
    return Failure(Errc::refused_by_policy, fmt::format("{}: {}, and who has written this target is not trusted to", scheme.name, what));
  };
  if (scheme.name_needs_trust) return refuse("names a file");
  for (const TargetKey& key : scheme.keys) {
    if (key.needs_trust && target.get(key.name)) return refuse(fmt::format("{}= names a file or a server", key.name));
  }
  return {};
}

namespace {

std::vector<std::string_view> names_of_schemes(std::span<const TargetScheme> own) {
  std::vector<std::string_view> names;
  for (const TargetScheme& scheme : own) names.push_back(scheme.name);
  for (const TargetScheme* scheme : target_schemes()) names.push_back(scheme->name);
  return names;
}

}  // namespace

std::optional<std::string_view> meant_scheme(std::string_view name, std::span<const TargetScheme> own) {
  // Short forms that are many edits away.
  if (name == "k8s" || name == "kube") return kubernetes_scheme.name;
  return nearest(name, names_of_schemes(own));
}

namespace {

Failure unknown_scheme(const Target& target, std::span<const TargetScheme> own) {
  std::string hint = fmt::format("targets begin with {}:", fmt::join(names_of_schemes(own), ":, "));
  if (const auto near = meant_scheme(target.scheme, own)) hint = fmt::format("did you mean {}:?", *near);
  return Failure(Errc::invalid_argument, fmt::format("no resolver is called {}", quoted_target(target.scheme, 40)))
      .with_hint(std::move(hint));
}

Result<std::shared_ptr<ClusterResolver>> make_by_row(Runtime runtime, const Target& target, const TargetScheme& scheme) {
  const Result<void> fine = check_keys(target, scheme);
  if (!fine) return fine.error();
  if (!scheme.make) return Failure(Errc::invalid_argument, fmt::format("{}: its row of the target table has no maker", scheme.name));
  Result<std::shared_ptr<ClusterResolver>> made = scheme.make(std::move(runtime), target);
  if (made && !*made) return Failure(Errc::invalid_argument, fmt::format("{}: its maker made no resolver", scheme.name));
  return made;
}

}  // namespace

Result<std::shared_ptr<ClusterResolver>> make_resolver(Runtime runtime, std::string_view text) {
  return make_resolver(std::move(runtime), text, std::span<const TargetScheme>());
}

Result<std::shared_ptr<ClusterResolver>> make_resolver(Runtime runtime, std::string_view text, std::span<const TargetScheme> own) {
  const Result<Target> target = Target::parse(text);
  if (!target) return target.error();
  return make_resolver(std::move(runtime), *target, own);
}

Result<std::shared_ptr<ClusterResolver>> make_resolver(Runtime runtime, const Target& target, std::span<const TargetScheme> own) {
  for (const TargetScheme& scheme : own) {  // no service knows it: services know the schemes of AddedScheme
    if (scheme.name == target.scheme) return make_by_row(std::move(runtime), target, scheme);
  }
  const TargetScheme* const scheme = find_scheme(target.scheme);
  if (!scheme) return unknown_scheme(target, own);
  Result<std::shared_ptr<ClusterResolver>> made = make_by_row(std::move(runtime), target, *scheme);
  return made ? make_served_resolver(std::move(*made), target, *scheme) : made;
}

}  // namespace rollcall
