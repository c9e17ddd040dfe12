// Finds the root URL of the Cloud TPU API.
#include "resolvers/tpu/tpu_root.hpp"

#include <fmt/format.h>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "call/api_client.hpp"
#include "call/file_reading.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "google/cloud_place.hpp"
#include "google/gcloud_way.hpp"
#include "google/wire/discovery.hpp"

namespace rollcall {
namespace {

constexpr std::string_view google_root = "https://tpu.googleapis.com/";
constexpr std::string_view override_variable = "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU";
constexpr std::string_view discovery_variable = "TPU_API_DISCOVERY_URL";

Url with_version(Url root, const TpuOptions& options) {
  root.target.reserve(128);  // the rest of a node's path follows it
  root.target.append(to_string(options.api_version())).append("/");
  return root;
}

asio::awaitable<Result<TpuApiRoot>> discover(Call& call, const TpuOptions& options) {
  TpuApiRoot root;
  std::string address = impl_of(call).environment->get(discovery_variable).value_or("");
  const std::string_view source = address.empty() ? "the discovery_url option" : discovery_variable;
  if (address.empty()) address = options.discovery_url();
  Result<std::string> expanded = expand_discovery_template(source, address, "tpu", to_string(options.api_version()));
  if (!expanded) co_return expanded.error();
  Result<Url> url = Url::parse(*expanded);
  if (!url) {
    co_return Failure(Errc::invalid_argument, fmt::format("{} is not a URL: {}", source, url.error().what()));
  }
  ApiRequest request(std::move(*url));
  request.what = "TPU API discovery document";
  Result<HttpResponse> response = co_await api_send(call, request);
  if (!response) co_return response.error();
  Result<DiscoveryDocument> document = parse_discovery(response->body, parse_limits(impl_of(call)));
  if (!document) {
    Failure failure = document.error();
    failure.with_target(request.http.url.without_query());
    co_return failure;
  }
  Result<Url> base = parse_api_root("the discovery document's rootUrl", document->base_url());
  if (!base) co_return base.error();
  const Result<std::string> universe = co_await find_universe(call);
  if (!universe) co_return universe.error();
  // A document from another machine cannot know which programs listen on this machine.
  const bool is_document_local = is_loopback(request.http.url.host) && response->is_from_loopback.value_or(true);
  bool is_allowed = (base->is_https && is_host_below(base->host, *universe)) || (is_document_local && is_loopback(base->host));
  for (const std::string& host : options.token_hosts()) is_allowed = is_allowed || equals_ignoring_case(host, base->host);
  root.is_token_allowed = is_allowed;
  root.url = with_version(std::move(*base), options);
  co_return root;
}

// The endpoint of gcloud's configuration; empty: it has none.
std::string_view gcloud_endpoint(Runtime::Impl& impl) {
  const auto& endpoints = gcloud_way(impl).endpoints;
  const auto found = endpoints.find("tpu");
  return found == endpoints.end() ? std::string_view() : std::string_view(found->second);
}

bool has_discovery(const Runtime::Impl& impl, const TpuOptions& options) {
  return !options.discovery_url().empty() || !impl.environment->get(discovery_variable).value_or("").empty();
}

}  // namespace

Result<ConfiguredApi> configured_api(Runtime::Impl& impl, const TpuOptions& options) {
  ConfiguredApi configured;
  std::string_view endpoint = options.endpoint();
  std::string_view origin_of_value = "the endpoint option";
  std::optional<std::string> variable;
  if (endpoint.empty()) {
    variable = impl.environment->get(override_variable);
    if (variable) endpoint = *variable;
    origin_of_value = override_variable;
  }
  if (endpoint.empty() && has_discovery(impl, options)) return configured;
  if (endpoint.empty()) {
    endpoint = gcloud_endpoint(impl);
    origin_of_value = "api_endpoint_overrides/tpu of gcloud's configuration";
  }
  if (endpoint.empty()) {
    configured.is_default = true;
    endpoint = google_root;
  }
  Result<Url> url = parse_api_root(origin_of_value, endpoint);
  if (!url) return url.error();
  configured.root.url = with_version(std::move(*url), options);
  configured.is_settled = !configured.is_default;
  if (configured.is_settled) return configured;
  const std::optional<Result<std::string>> universe = known_universe(impl);
  if (universe && !*universe) return universe->error();
  if (universe) move_to_universe(configured.root.url, **universe);
  configured.is_settled = universe.has_value();
  return configured;
}

std::optional<std::string> universe_of_default(Runtime::Impl& impl, const TpuOptions& options) {
  if (impl.environment->get(override_variable) || has_discovery(impl, options) || !gcloud_endpoint(impl).empty()) return std::nullopt;
  const std::optional<Result<std::string>> known = known_universe(impl);
  return known && *known ? std::optional<std::string>(**known) : std::nullopt;
}

asio::awaitable<Result<TpuApiRoot>> find_tpu_api(Call& call, const TpuOptions& options) {
  const auto read = [&impl = impl_of(call), &options] { return configured_api(impl, options); };
  Result<ConfiguredApi> configured = co_await read_when_there(call, read);
  if (!configured) co_return configured.error();
  if (configured->is_settled) co_return std::move(configured->root);
  if (!configured->is_default) {
    co_return co_await discover(call, options);
  }
  const Result<std::string> universe = co_await find_universe(call);
  if (!universe) co_return universe.error();
  move_to_universe(configured->root.url, *universe);
  co_return std::move(configured->root);
}

}  // namespace rollcall
