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
constexpr std::string_view override_variable = "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU";
constexpr std::string_view discovery_variable = "TPU_API_DISCOVERY_URL";

Url with_version(Url root, const TpuOptions& options) {
  root.target.reserve(128);  // the rest of a node's path follows
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

bool has_discovery(const Runtime::Impl& impl, const TpuOptions& options) {
  return !options.discovery_url().empty() || !impl.environment->get(discovery_variable).value_or("").empty();
}

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
  if (endpoint.empty()) {
    if (has_discovery(impl, options)) return configured;
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

ZonesLookups& zones_of(Runtime::Impl& impl) {
  if (!impl.zones_lookups) impl.zones_lookups = std::make_shared<ZonesLookups>();
  return *impl.zones_lookups;
}

// The universe in which an API is that nobody names; none: somebody does, or has to be asked.
std::optional<std::string> universe_of_default(Runtime::Impl& impl, const TpuOptions& options) {
  if (impl.environment->get(override_variable) || has_discovery(impl, options)) return std::nullopt;
  const std::optional<Result<std::string>> known = known_universe(impl);
  return known && *known ? std::optional<std::string>(**known) : std::nullopt;
}

// The zone's look-ups if nothing has to be asked for them; null: something has, or is wrong.
std::shared_ptr<ZoneLookups> settled_zone(Runtime::Impl& impl, const TpuPlan& plan, const TpuOptions& options) {
  if (plan.project.empty() || plan.zone.empty()) return nullptr;
  std::optional<std::string> universe;
  if (options.endpoint().empty()) {
    universe = universe_of_default(impl, options);
    if (!universe) return nullptr;
  }
  ZonesLookups::Last& last = zones_of(impl).last;
  const bool is_same = last.lookups && last.zone == plan.zone && last.project == plan.project && last.version == options.api_version() &&
                       last.endpoint == options.endpoint() && (!universe || last.universe == *universe);
  if (is_same) return last.lookups;
  Result<ConfiguredApi> api = configured_api(impl, options);
  if (!api || !api->is_settled) return nullptr;
  const bool is_token_allowed = api->root.is_token_allowed;
  last.lookups = zones_of(impl).of(impl, nodes_url(plan, std::move(api->root)), is_token_allowed);
  last.endpoint = options.endpoint();
  last.universe = universe.value_or("");
  last.version = options.api_version();
  last.project = plan.project;
  last.zone = plan.zone;
  return last.lookups;
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

namespace {

void answer_with(TpuAnswer& found, TpuNode node, Url asked) {
  static_cast<TpuNode&>(found) = std::move(node);
  found.asked = std::move(asked);
  found.status = 200;
}

Url node_url(const Url& nodes, const TpuPlan& plan) {
  Url url;
  url.is_https = nodes.is_https;
  url.host = nodes.host;
  url.port = nodes.port;
  url.target.reserve(nodes.target.size() + 1 + plan.node_id.size());
  url.target.assign(nodes.target).append("/").append(plan.node_id);
  return url;
}

Failure failure_of_get(const TpuPlan& plan, const ApiRequest& request, Failure problem) {
  Failure failure = about_tpu(plan.name, std::move(problem));
  if (!request.is_token_allowed && failure.code() == Errc::unauthenticated) {
    failure.with_hint(
        fmt::format("no token was sent: the discovery document names {}, which is not Google's{}; allow it with allow_token_to",
                    request.http.url.host, is_loopback(request.http.url.host) ? ", and the document did not come from this machine" : ""));
  }
  return failure;
}

ApiRequest get_request(const Url& nodes, const TpuPlan& plan, bool is_token_allowed) {
  return cloud_request(Service::tpu, node_url(nodes, plan), "TPU " + quoted(plan.name), is_token_allowed);
}

Result<void> read_answer(Call& call, const TpuPlan& plan, ApiRequest& request, const Result<HttpResponse>& response, TpuAnswer& found) {
  if (!response) return failure_of_get(plan, request, response.error());
  found.asked = std::move(request.http.url);
  found.status = response->status;
  const Result<void> read = read_tpu_node(response->body, parse_limits(impl_of(call)), found.wanted, found);
  if (!read) return found.with_origin(about_tpu(plan.name, read.error()));
  return read;
}

Result<ClusterSpec> spec_of(const TpuPlan& plan, std::string job, const TpuAnswer& node) {
  Result<ClusterSpec::Tasks> workers = worker_tasks(plan.name, node);
  if (!workers) return node.with_origin(workers.error());
  ClusterSpec spec;
  (void)spec.set_job(std::move(job), std::move(*workers));
  return spec;
}

Result<ClusterSpec> read_spec(Call& call, const TpuPlan& plan, std::string job, ApiRequest& request, const Result<HttpResponse>& response) {
  TpuAnswer node(TpuFields::spec);
  const Result<void> read = read_answer(call, plan, request, response, node);
  if (!read) return read.error();
  return spec_of(plan, std::move(job), node);
}

// The node by nodes.get, or its spec. `nodes` is needed only until this suspends; `place` is kept until the answer is here.
asio::awaitable<Result<void>> get_node(Call& call, const TpuPlan& plan, const Url& nodes, bool is_token_allowed,
                                       [[maybe_unused]] GetPlace place, TpuAnswer& found) {
  ApiRequest request = get_request(nodes, plan, is_token_allowed);
  const Result<HttpResponse> response = co_await api_send(call, request);
  co_return read_answer(call, plan, request, response, found);
}

// A node is large: it is not in the frame, which waits for the answer.
asio::awaitable<Result<ClusterSpec>> get_spec(Call& call, const TpuPlan& plan, const Url& nodes, bool is_token_allowed,
                                              [[maybe_unused]] GetPlace place, std::string job) {
  ApiRequest request = get_request(nodes, plan, is_token_allowed);
  const Result<HttpResponse> response = co_await api_send(call, request);
  co_return read_spec(call, plan, std::move(job), request, response);
}

// Where something has to be found out first, or waited for.
asio::awaitable<Result<void>> ask_in_steps(Call& call, TpuPlan plan, const TpuOptions& options, TpuAnswer& found) {
  if (plan.project.empty() || plan.zone.empty()) {
    const Result<void> completed = co_await complete_place(call, "TPU " + quoted(plan.name), plan.project, &plan.zone);
    if (!completed) co_return completed.error();
  }
  Result<TpuApiRoot> root = co_await find_tpu_api(call, options);
  if (!root) co_return about_tpu(plan.name, root.error());
  const bool is_token_allowed = root->is_token_allowed;
  if (call.options().tpu_lookup() == TpuLookup::list) {
    Result<TpuNode> listed = co_await look_up_in_list(call, plan, *root);
    if (!listed) co_return listed.error();
    answer_with(found, std::move(*listed), nodes_url(plan, std::move(*root)));
    co_return Result<void>();
  }
  Url url = nodes_url(plan, std::move(*root));
  GetPlace place;
  if (call.options().tpu_lookup() == TpuLookup::automatic) {
    const std::shared_ptr<ZoneLookups> zone = zones_of(impl_of(call)).of(impl_of(call), url, is_token_allowed);
    place = zone->try_get();
    if (!place) {
      Result<std::optional<TpuNode>> listed = co_await zone->wait(call, plan.node_id, place);
      if (!listed) co_return about_tpu(plan.name, listed.error());
      if (*listed) {
        answer_with(found, std::move(**listed), std::move(url));
        co_return Result<void>();
      }
    }
  }
  co_return co_await get_node(call, plan, url, is_token_allowed, std::move(place), found);
}

asio::awaitable<Result<ClusterSpec>> spec_in_steps(Call& call, const TpuPlan& plan, const TpuOptions& options, std::string job) {
  TpuAnswer node(TpuFields::spec);
  const Result<void> asked = co_await ask_in_steps(call, plan, options, node);
  if (!asked) co_return asked.error();
  co_return spec_of(plan, std::move(job), node);
}

// Mostly all that is needed is known, and nobody has to be waited for. Null: it is not so.
std::shared_ptr<ZoneLookups> zone_at_hand(Call& call, const TpuPlan& plan, const TpuOptions& options, GetPlace& place) {
  if (call.options().tpu_lookup() != TpuLookup::automatic) return nullptr;
  std::shared_ptr<ZoneLookups> zone = settled_zone(impl_of(call), plan, options);
  if (zone) place = zone->try_get();
  return place ? zone : nullptr;
}

}  // namespace

// No coroutines themselves: a frame less.
asio::awaitable<Result<void>> ask_tpu(Call& call, const TpuPlan& plan, const TpuOptions& options, TpuAnswer& found) {
  GetPlace place;
  const std::shared_ptr<ZoneLookups> zone = zone_at_hand(call, plan, options, place);
  if (zone) return get_node(call, plan, zone->nodes(), zone->is_token_allowed(), std::move(place), found);
  return ask_in_steps(call, plan, options, found);
}

asio::awaitable<Result<ClusterSpec>> ask_tpu_spec(Call& call, const TpuPlan& plan, const TpuOptions& options, std::string job) {
  GetPlace place;
  const std::shared_ptr<ZoneLookups> zone = zone_at_hand(call, plan, options, place);
  if (zone) return get_spec(call, plan, zone->nodes(), zone->is_token_allowed(), std::move(place), std::move(job));
  return spec_in_steps(call, plan, options, std::move(job));
}

}  // namespace rollcall
