#include "resolvers/tpu/tpu_api.hpp"

#include <fmt/format.h>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "google/cloud_place.hpp"
#include "resolvers/tpu/rules/tpu_service.hpp"
#include "resolvers/tpu/tpu_node_lists.hpp"
#include "resolvers/tpu/tpu_spec.hpp"
#include "resolvers/tpu/zone_lookups.hpp"
#include "rollcall/tpu_call.hpp"

namespace rollcall {

Url nodes_url(const TpuPlan& plan, TpuApiRoot root) {
  // plan_tpu() and the parsers of metadata values accept only characters that need no encoding in a path.
  Url url = std::move(root.url);
  url.target.append("projects/").append(plan.project).append("/locations/").append(plan.zone).append("/nodes");
  return url;
}

Failure TpuAnswer::with_origin(Failure failure) const {
  failure.with_target(asked.without_query()).with_last_status(status);
  return failure;
}

namespace {

ZonesLookups& zones_of(Runtime::Impl& impl) {
  if (!impl.zones_lookups) impl.zones_lookups = std::make_shared<ZonesLookups>();
  return *impl.zones_lookups;
}

// The zone's look-ups if no request is needed to find the zone and the API. Null if one is needed, or if the configuration is invalid.
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

void answer_with(TpuAnswer& found, const TpuNode& node, Url asked) {
  static_cast<TpuNode&>(found) = node;
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
  return cloud_request(tpu_service, node_url(nodes, plan), "TPU " + quoted(plan.name), is_token_allowed);
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

Result<ClusterSpec> listed_spec(const TpuPlan& plan, std::string job, const TpuNode& node, const Url& asked) {
  TpuAnswer answer(TpuFields::spec);
  answer_with(answer, node, asked);
  return spec_of(plan, std::move(job), answer);
}

Result<ClusterSpec> read_spec(Call& call, const TpuPlan& plan, std::string job, ApiRequest& request, const Result<HttpResponse>& response) {
  TpuAnswer node(TpuFields::spec);
  const Result<void> read = read_answer(call, plan, request, response, node);
  if (!read) return read.error();
  return spec_of(plan, std::move(job), node);
}

// True if a list may answer instead of a get.
bool may_share(const Call& call) noexcept { return call.options().get<TpuCallOptions>().lookup() == TpuLookup::automatic; }

GetPermit permit_at_once(const Call& call, ZoneLookups& zone) { return may_share(call) ? zone.try_get() : GetPermit(); }

// Requests the node as soon as the zone permits, usually at once: by nodes.get, or by a list shared with other look-ups.
asio::awaitable<Result<void>> get_node(Call& call, const TpuPlan& plan, std::shared_ptr<ZoneLookups> zone, TpuAnswer& found) {
  GetPermit permit = permit_at_once(call, *zone);  // held until the answer has arrived
  if (!permit && may_share(call)) {
    const Result<std::shared_ptr<const TpuNode>> listed = co_await zone->wait(call, plan.node_id, permit);
    if (!listed) co_return about_tpu(plan.name, listed.error());
    if (*listed) {
      answer_with(found, **listed, zone->nodes());
      co_return Result<void>();
    }
  }
  ApiRequest request = get_request(zone->nodes(), plan, zone->is_token_allowed());
  const Result<HttpResponse> response = co_await api_send(call, request);
  co_return read_answer(call, plan, request, response, found);
}

// The same for the spec of the node. No TpuNode is in the frame during the request, since a node is large.
asio::awaitable<Result<ClusterSpec>> get_spec(Call& call, const TpuPlan& plan, std::shared_ptr<ZoneLookups> zone, std::string job) {
  GetPermit permit = permit_at_once(call, *zone);
  if (!permit && may_share(call)) {
    const Result<std::shared_ptr<const TpuNode>> listed = co_await zone->wait(call, plan.node_id, permit);
    if (!listed) co_return about_tpu(plan.name, listed.error());
    if (*listed) co_return listed_spec(plan, std::move(job), **listed, zone->nodes());
  }
  ApiRequest request = get_request(zone->nodes(), plan, zone->is_token_allowed());
  const Result<HttpResponse> response = co_await api_send(call, request);
  co_return read_spec(call, plan, std::move(job), request, response);
}

// The path for a plan whose zone or API must be found by requests, or whose look-up uses a list.
asio::awaitable<Result<void>> ask_in_steps(Call& call, TpuPlan plan, const TpuOptions& options, TpuAnswer& found) {
  if (plan.project.empty() || plan.zone.empty()) {
    const Result<void> completed = co_await complete_place(call, "TPU " + quoted(plan.name), plan.project, &plan.zone);
    if (!completed) co_return completed.error();
  }
  Result<TpuApiRoot> root = co_await find_tpu_api(call, options);
  if (!root) co_return about_tpu(plan.name, root.error());
  if (call.options().get<TpuCallOptions>().lookup() == TpuLookup::list) {
    const Result<TpuNode> listed = co_await look_up_in_list(call, plan, *root);
    if (!listed) co_return listed.error();
    answer_with(found, *listed, nodes_url(plan, std::move(*root)));
    co_return Result<void>();
  }
  const bool is_token_allowed = root->is_token_allowed;
  const Url url = nodes_url(plan, std::move(*root));
  co_return co_await get_node(call, plan, zones_of(impl_of(call)).of(impl_of(call), url, is_token_allowed), found);
}

asio::awaitable<Result<ClusterSpec>> spec_in_steps(Call& call, const TpuPlan& plan, const TpuOptions& options, std::string job) {
  TpuAnswer node(TpuFields::spec);
  const Result<void> asked = co_await ask_in_steps(call, plan, options, node);
  if (!asked) co_return asked.error();
  co_return spec_of(plan, std::move(job), node);
}

// The zone's look-ups if everything needed is known, which is the usual case. Else null.
std::shared_ptr<ZoneLookups> zone_at_hand(Call& call, const TpuPlan& plan, const TpuOptions& options) {
  return call.options().get<TpuCallOptions>().lookup() != TpuLookup::list ? settled_zone(impl_of(call), plan, options) : nullptr;
}

}  // namespace

// Not coroutines: saves a frame per call.
asio::awaitable<Result<void>> ask_tpu(Call& call, const TpuPlan& plan, const TpuOptions& options, TpuAnswer& found) {
  if (std::shared_ptr<ZoneLookups> zone = zone_at_hand(call, plan, options)) return get_node(call, plan, std::move(zone), found);
  return ask_in_steps(call, plan, options, found);
}

asio::awaitable<Result<ClusterSpec>> ask_tpu_spec(Call& call, const TpuPlan& plan, const TpuOptions& options, std::string job) {
  if (std::shared_ptr<ZoneLookups> zone = zone_at_hand(call, plan, options)) return get_spec(call, plan, std::move(zone), std::move(job));
  return spec_in_steps(call, plan, options, std::move(job));
}

}  // namespace rollcall
