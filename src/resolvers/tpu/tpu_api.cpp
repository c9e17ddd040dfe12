#include "resolvers/tpu/tpu_api.hpp"

#include <fmt/format.h>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "google/cloud_place.hpp"
#include "google/wire/discovery.hpp"
#include "resolvers/tpu/tpu_node_lists.hpp"
#include "resolvers/tpu/tpu_spec.hpp"
#include "resolvers/tpu/zone_lookups.hpp"

namespace rollcall {
namespace {

constexpr std::string_view google_root = "https://tpu.googleapis.com/";

Url with_version(Url root, const TpuOptions& options) {
  root.target.reserve(128);  // the rest of a node's path follows
  root.target.append(to_string(options.api_version())).append("/");
  return root;
}

asio::awaitable<Result<TpuApiRoot>> discover(Call& call, const TpuOptions& options) {
  TpuApiRoot root;
  std::string address = impl_of(call).environment->get("TPU_API_DISCOVERY_URL").value_or("");
  const std::string_view source = address.empty() ? "the discovery_url option" : "TPU_API_DISCOVERY_URL";
  if (address.empty()) address = options.discovery_url();
  Result<std::string> expanded = expand_discovery_template(source, address, "tpu", to_string(options.api_version()));
  if (!expanded) co_return expanded.error();
  Result<Url> url = Url::parse(*expanded);
  if (!url) {
    co_return Failure(Errc::invalid_argument, fmt::format("{} is not a URL: {}", source, url.error().what()));
  }
  ApiRequest request{HttpRequest(std::move(*url))};
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
  // Whoever writes a document elsewhere knows nothing of what listens on this machine.
  const bool is_document_local = is_loopback(request.http.url.host) && response->is_from_loopback.value_or(true);
  bool is_allowed = (base->is_https && is_host_below(base->host, *universe)) || (is_document_local && is_loopback(base->host));
  for (const std::string& host : options.token_hosts()) is_allowed = is_allowed || equals_ignoring_case(host, base->host);
  root.is_token_allowed = is_allowed;
  root.url = with_version(std::move(*base), options);
  co_return root;
}

// Where the API is as far as nobody has to be asked: a discovery document, or the metadata server about its universe.
class ConfiguredApi {
 public:
  TpuApiRoot root;
  bool is_settled = false;
  bool is_default = false;  ///< nobody names it: it is Google's, or that of another universe
};

Result<ConfiguredApi> configured_api(Runtime::Impl& impl, const TpuOptions& options) {
  ConfiguredApi configured;
  std::string_view endpoint = options.endpoint();
  std::string_view origin_of_value = "the endpoint option";
  std::optional<std::string> variable;
  if (endpoint.empty()) {
    variable = impl.environment->get("CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU");
    if (variable) endpoint = *variable;
    origin_of_value = "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU";
  }
  if (endpoint.empty()) {
    if (!options.discovery_url().empty() || !impl.environment->get("TPU_API_DISCOVERY_URL").value_or("").empty()) return configured;
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

ZoneLookups& zone_of(Runtime::Impl& impl, const Url& nodes, bool is_token_allowed) {
  if (!impl.zones_lookups) impl.zones_lookups = std::make_shared<ZonesLookups>();
  return impl.zones_lookups->of(impl, nodes, is_token_allowed);
}

}  // namespace

Url nodes_url(const TpuPlan& plan, TpuApiRoot root) {
  // plan_tpu() and the parsers of metadata values let only characters through that a path may have as they are.
  Url url = std::move(root.url);
  url.target.append("projects/").append(plan.project).append("/locations/").append(plan.zone).append("/nodes");
  return url;
}

Failure TpuAnswer::with_origin(Failure failure) const {
  failure.with_target(asked.without_query()).with_last_status(status);
  return failure;
}

asio::awaitable<Result<TpuApiRoot>> find_tpu_api(Call& call, const TpuOptions& options) {
  Result<ConfiguredApi> configured = configured_api(impl_of(call), options);
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

asio::awaitable<Result<TpuAnswer>> ask_tpu(Call& call, TpuPlan plan, const TpuOptions& options) {
  if (plan.project.empty() || plan.zone.empty()) {
    const Result<void> completed = co_await complete_place(call, "TPU " + quoted(plan.name), plan.project, &plan.zone);
    if (!completed) co_return completed.error();
  }
  Result<ConfiguredApi> configured = configured_api(impl_of(call), options);
  if (!configured) co_return about_tpu(plan.name, configured.error());
  Result<TpuApiRoot> found = std::move(configured->root);
  if (!configured->is_settled) found = co_await find_tpu_api(call, options);
  if (!found) co_return about_tpu(plan.name, found.error());
  const bool is_token_allowed = found->is_token_allowed;
  if (call.options().tpu_lookup() == TpuLookup::list) {
    Result<TpuNode> listed = co_await look_up_in_list(call, plan, *found);
    if (!listed) co_return listed.error();
    co_return TpuAnswer(std::move(*listed), nodes_url(plan, std::move(*found)), 200);
  }
  Url url = nodes_url(plan, std::move(*found));
  GetPlace place;
  if (call.options().tpu_lookup() == TpuLookup::automatic) {
    ZoneLookups& zone = zone_of(impl_of(call), url, is_token_allowed);
    place = zone.try_get();
    if (!place) {
      Result<std::optional<TpuNode>> listed = co_await zone.wait(call, plan.node_id, place);
      if (!listed) co_return about_tpu(plan.name, listed.error());
      if (*listed) co_return TpuAnswer(std::move(**listed), std::move(url), 200);
    }
  }
  url.target.append("/").append(plan.node_id);
  ApiRequest request = cloud_request(Service::tpu, std::move(url), "TPU " + quoted(plan.name), is_token_allowed);
  Result<HttpResponse> response = co_await api_send(call, request);
  if (!response) {
    Failure failure = about_tpu(plan.name, response.error());
    if (!is_token_allowed && failure.code() == Errc::unauthenticated) {
      failure.with_hint(fmt::format(
          "no token was sent: the discovery document names {}, which is not Google's{}; allow it with allow_token_to",
          request.http.url.host, is_loopback(request.http.url.host) ? ", and the document did not come from this machine" : ""));
    }
    co_return failure;
  }
  Result<TpuNode> node = parse_tpu_node(response->body, parse_limits(impl_of(call)));
  if (!node) {
    Failure failure = about_tpu(plan.name, node.error());
    failure.with_target(request.http.url.without_query()).with_last_status(response->status);
    co_return failure;
  }
  co_return TpuAnswer(std::move(*node), std::move(request.http.url), response->status);
}

}  // namespace rollcall
