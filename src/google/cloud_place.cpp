#include "google/cloud_place.hpp"

#include <fmt/format.h>

#include <optional>

#include "async/group.hpp"
#include "base/ip.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "call/file_reading.hpp"
#include "call/runtime_impl.hpp"
#include "google/found_places.hpp"
#include "google/gcloud_config.hpp"
#include "google/gcloud_way.hpp"
#include "google/metadata_client.hpp"
#include "google/wire/metadata_value.hpp"
#include "google/wire/resource_id.hpp"

namespace rollcall {
namespace {

// Processes that may not read these files have no gcloud configuration either.
Result<GcloudConfig> gcloud_config(const Runtime::Impl& impl) {
  Result<GcloudConfig> config = read_gcloud_config(*impl.environment, *impl.files);
  if (!config && config.error().code() != Errc::invalid_argument) return GcloudConfig();
  return config;
}

std::string origin_of(const GcloudConfig& config) { return fmt::format("gcloud's configuration {}", quoted(config.name, 80)); }

Result<PlaceValue> checked(std::string_view what, PlaceValue found) {
  const Result<void> fine = check_id(what, found.value, found.from);
  if (!fine) return fine.error();
  return found;
}

// Empty: neither the credentials nor gcloud have it.
Result<PlaceValue> configured_project(Runtime::Impl& impl) {
  const Result<CredentialFacts::Pointer> known =
      impl.credentials->facts(*impl.environment, *impl.files);  // the request for a token reports the fault of the credentials
  if (known && !(*known)->project.empty()) {
    const CredentialFacts& facts = **known;
    const std::string origin = facts.path.empty() ? facts.kind : "the credential file " + path_text(facts.path);
    return checked("project", PlaceValue(facts.project, origin));
  }
  const Result<GcloudConfig> config = gcloud_config(impl);
  if (!config) return config.error();
  if (config->project.empty()) return PlaceValue();
  return checked("project", PlaceValue(config->project, origin_of(*config)));
}

Result<PlaceValue> configured_zone(const Runtime::Impl& impl) {
  const Result<GcloudConfig> config = gcloud_config(impl);
  if (!config) return config.error();
  if (config->zone.empty()) return PlaceValue();
  return checked("zone", PlaceValue(config->zone, origin_of(*config)));
}

asio::awaitable<Result<PlaceValue>> ask_metadata(Call& call, std::string path, Result<std::string> (*parse)(std::string_view)) {
  const Result<std::string> answer = co_await fixed_metadata_value(call, std::move(path));
  Result<std::string> value = answer ? parse(*answer) : answer;
  if (!value) {
    Failure failure = value.error();
    if (failure.code() != Errc::cancelled) failure.with_what("the metadata server did not provide it: " + failure.what());
    co_return failure;
  }
  co_return PlaceValue(std::move(*value), "the metadata server");
}

void log_place(const Call& call, std::string_view what, const PlaceValue& found) {
  const std::string subject = fmt::format("{} {}, from {}", what, quoted(found.value, 256), found.from);
  impl_of(call).emit({.kind = EventKind::place_chosen, .call = call.id(), .subject = subject});
}

Failure missing_place(std::string_view who, bool needs_project, bool needs_zone, Failure cause) {
  if (cause.code() == Errc::cancelled) return cause;
  const std::string_view missing = !needs_zone ? "project is" : !needs_project ? "zone is" : "project and zone are";
  cause.with_what(fmt::format("{}: the {} not given, and {}", who, missing, cause.what()));
  if (!is_misdirected(cause)) cause.with_hint("give project and zone, or set GOOGLE_CLOUD_PROJECT and CLOUDSDK_COMPUTE_ZONE");
  return cause;
}

}  // namespace

CloudSetting first_set(const Environment& environment, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    std::optional<std::string> value = environment.get(name);
    if (value && !trim(*value).empty()) return CloudSetting(std::string(trim(*value)), name);
  }
  return CloudSetting();
}

CloudSetting project_setting(CloudSetting given, const Environment& environment) {
  if (!given.value.empty()) return given;
  return first_set(environment, {"GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"});
}

CloudSetting zone_setting(CloudSetting given, const Environment& environment) {
  if (!given.value.empty()) return given;
  return first_set(environment, {"CLOUDSDK_COMPUTE_ZONE"});
}

Failure with_origin(std::string_view variable, Failure failure) {
  if (!variable.empty()) failure.with_what(fmt::format("{}: {}", variable, failure.what()));
  return failure;
}

Result<void> check_id(std::string_view what, std::string_view value, std::string_view variable) {
  if (is_resource_id(value)) return Result<void>();
  std::string hint = fmt::format("a {} has at most 256 letters, digits and - _ . :", what);
  const std::vector<std::string_view> parts = split(value, ',');
  if (variable.empty() && parts.size() > 1)  // an invalid option of a target
    hint = fmt::format("{} has no =: the options of a target are KEY=VALUE", quoted(parts[1], 40));
  return with_origin(variable,
                     Failure(Errc::invalid_argument, fmt::format("{} is not a {}", quoted(value, 80), what)).with_hint(std::move(hint)));
}

Result<void> settle_place(std::string_view what, const std::string& option, std::string& place, std::string_view variable_of_name,
                          CloudSetting (*setting)(CloudSetting given, const Environment& environment), const Environment& environment) {
  if (!option.empty()) {
    place = option;
    return check_id(what, place);
  }
  CloudSetting settled = setting(CloudSetting(std::move(place), variable_of_name), environment);
  place = std::move(settled.value);
  return place.empty() ? Result<void>() : check_id(what, place, settled.variable);
}

FoundPlaces& found_places(Runtime::Impl& impl) {
  if (!impl.found_places) impl.found_places = std::make_shared<FoundPlaces>();
  return *impl.found_places;
}

asio::awaitable<Result<PlaceValue>> find_project(Call& call) {
  std::optional<PlaceValue>& kept = found_places(impl_of(call)).project;
  if (kept) co_return *kept;
  const auto read = [&impl = impl_of(call)] { return configured_project(impl); };
  Result<PlaceValue> found = co_await read_when_there(call, read);
  const bool is_asked = found && found->value.empty();
  if (is_asked) found = co_await ask_metadata(call, "project/project-id", parse_metadata_project);
  if (found) kept = *found;
  co_return found;
}

asio::awaitable<Result<PlaceValue>> find_zone(Call& call) {
  std::optional<PlaceValue>& kept = found_places(impl_of(call)).zone;
  if (kept) co_return *kept;
  const auto read = [&impl = impl_of(call)] { return configured_zone(impl); };
  Result<PlaceValue> found = co_await read_when_there(call, read);
  const bool is_asked = found && found->value.empty();
  if (is_asked) found = co_await ask_metadata(call, "instance/zone", parse_metadata_zone);
  if (found) kept = *found;
  co_return found;
}

namespace {

constexpr std::string_view universe_variable = "GOOGLE_CLOUD_UNIVERSE_DOMAIN";

// `own`: the credentials' universe; empty: not known.
Result<std::string> agreed_universe(Runtime::Impl& impl, std::string_view kind, std::string own) {
  const std::string configured = first_set(*impl.environment, {universe_variable}).value;
  if (configured.empty() && own.empty()) own = gcloud_way(impl).universe;  // a token from gcloud belongs to gcloud's universe
  if (configured.empty()) return own.empty() || !is_universe_domain(own) ? std::string(google_universe) : std::move(own);
  if (!is_universe_domain(configured)) {
    return Failure(Errc::invalid_argument, fmt::format("{}: {} is not a domain", universe_variable, quoted(configured, 80)));
  }
  if (own.empty() || equals_ignoring_case(configured, own)) return configured;
  return Failure(Errc::refused_by_policy,
                 fmt::format("{} is {}, and the credentials ({}) are of the universe {}: no token is sent from one to the other",
                             universe_variable, configured, kind, own))
      .with_hint(fmt::format("set {} to {}, or use credentials of {}", universe_variable, own, configured));
}

// The token comes first: if there is none, its failure has the most detail. Servers without a universe are Google's.
asio::awaitable<Result<std::string>> ask_universe(Call& call) {
  const Result<AccessToken> token = co_await impl_of(call).credentials->token(call);
  if (!token) co_return token.error();
  const Result<std::optional<std::string>> found = co_await metadata_document(call, "universe/universe-domain");
  if (!found) co_return found.error();
  std::string universe = *found ? std::string(trim(**found)) : std::string(google_universe);
  if (is_universe_domain(universe)) co_return universe;
  co_return Failure(Errc::malformed_response, fmt::format("the metadata server's universe, {}, is not a domain", quoted(universe, 80)));
}

}  // namespace

std::optional<Result<std::string>> known_universe(Runtime::Impl& impl) {
  const Result<CredentialFacts::Pointer> known = impl.credentials->facts(*impl.environment, *impl.files);
  // The request for a token reports the fault of the credentials.
  if (!known) return agreed_universe(impl, {}, {});
  const CredentialFacts& facts = **known;
  if (!facts.is_from_metadata) return agreed_universe(impl, facts.kind, facts.universe_domain);
  std::string& found = found_places(impl).universe;
  // Other universes use Google's machines. A server elsewhere is a substitute for Google's, and may support only tokens.
  if (found.empty() && first_set(*impl.environment, {universe_variable}).value.empty() && !is_google_machine(impl)) found = google_universe;
  if (found.empty()) return std::nullopt;
  return agreed_universe(impl, facts.kind, found);
}

asio::awaitable<Result<std::string>> find_universe(Call& call) {
  const auto read = [&impl = impl_of(call)] { return known_universe(impl); };
  std::optional<Result<std::string>> known = co_await read_when_there(call, read);
  if (known) co_return std::move(*known);
  const Result<std::string> found = co_await ask_universe(call);
  if (!found) co_return found;
  found_places(impl_of(call)).universe = *found;
  co_return agreed_universe(impl_of(call), "metadata server", *found);
}

void move_to_universe(Url& root, std::string_view universe) {
  if (universe == google_universe || !is_host_below(root.host, google_universe)) return;
  root.host.resize(root.host.size() - google_universe.size());
  root.host += universe;
}

asio::awaitable<Result<void>> complete_place(Call& call, std::string who, std::string& project, std::string* zone) {
  const bool needs_project = project.empty();
  const bool needs_zone = zone && zone->empty();
  if (!needs_project && !needs_zone) co_return Result<void>();
  std::vector<asio::awaitable<Result<PlaceValue>>> questions;
  if (needs_project) questions.push_back(find_project(call));
  if (needs_zone) questions.push_back(find_zone(call));
  Result<std::vector<PlaceValue>> answers = co_await join(std::move(questions));
  if (!answers) co_return missing_place(who, needs_project, needs_zone, answers.error());
  if (needs_project) log_place(call, "project", answers->front());
  if (needs_zone) log_place(call, "zone", answers->back());
  if (needs_project) project = std::move(answers->front().value);
  if (needs_zone) *zone = std::move(answers->back().value);
  co_return Result<void>();
}

}  // namespace rollcall
