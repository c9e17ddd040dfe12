#include "resolvers/tpu/tpu_api.hpp"

#include <fmt/format.h>

#include <type_traits>

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

// Takes the node as it is.
class NodeTaker {
 public:
  explicit NodeTaker(TpuAnswer& into) : found_(into) {}
  TpuFields fields() const noexcept { return found_.wanted; }
  Result<void> operator()(TpuAnswer node) const {
    found_ = std::move(node);
    return {};
  }

 private:
  TpuAnswer& found_;
};

// Takes the node's workers, as tasks of a job.
class SpecTaker {
 public:
  SpecTaker(const TpuPlan& plan, std::string&& job) : plan_(plan), job_(std::move(job)) {}
  TpuFields fields() const noexcept { return TpuFields::spec; }
  Result<ClusterSpec> operator()(const TpuAnswer& node) { return spec_of(plan_, std::move(job_), node); }  // once

 private:
  const TpuPlan& plan_;
  std::string job_;
};

template <class Taker>
using Taken = std::invoke_result_t<Taker&, TpuAnswer>;

// A node is large: these two are no coroutines, so that no frame holds one while it waits.
template <class Taker>
Taken<Taker> take_listed(Taker& take, const TpuNode& node, Url asked) {
  TpuAnswer answer(take.fields());
  answer_with(answer, node, std::move(asked));
  return take(std::move(answer));
}

template <class Taker>
Taken<Taker> take_response(Call& call, const TpuPlan& plan, ApiRequest& request, const Result<HttpResponse>& response, Taker& take) {
  TpuAnswer answer(take.fields());
  const Result<void> read = read_answer(call, plan, request, response, answer);
  if (!read) return read.error();
  return take(std::move(answer));
}

// True if a list may answer instead of a get.
bool may_share(const Call& call) noexcept { return call.options().get<TpuCallOptions>().lookup() == TpuLookup::automatic; }

GetPermit permit_at_once(const Call& call, ZoneLookups& zone) { return may_share(call) ? zone.try_get() : GetPermit(); }

// Requests the node as soon as the zone permits, usually at once: by nodes.get, or by a list shared with other look-ups.
template <class Taker>
asio::awaitable<Taken<Taker>> get_node(Call& call, const TpuPlan& plan, std::shared_ptr<ZoneLookups> zone, Taker take) {
  GetPermit permit = permit_at_once(call, *zone);  // held until the answer has arrived
  if (!permit && may_share(call)) {
    const Result<std::shared_ptr<const TpuNode>> listed = co_await zone->wait(call, plan.node_id, permit);
    if (!listed) co_return about_tpu(plan.name, listed.error());
    if (*listed) co_return take_listed(take, **listed, zone->nodes());
  }
  ApiRequest request = get_request(zone->nodes(), plan, zone->is_token_allowed());
  const Result<HttpResponse> response = co_await api_send(call, request);
  co_return take_response(call, plan, request, response, take);
}

// The path for a plan whose zone or API must be found by requests, or whose look-up uses a list.
template <class Taker>
asio::awaitable<Taken<Taker>> ask_in_steps(Call& call, TpuPlan plan, const TpuOptions& options, Taker take) {
  if (plan.project.empty() || plan.zone.empty()) {
    const Result<void> completed = co_await complete_place(call, "TPU " + quoted(plan.name), plan.project, &plan.zone);
    if (!completed) co_return completed.error();
  }
  Result<TpuApiRoot> root = co_await find_tpu_api(call, options);
  if (!root) co_return about_tpu(plan.name, root.error());
  if (call.options().get<TpuCallOptions>().lookup() == TpuLookup::list) {
    const Result<TpuNode> listed = co_await look_up_in_list(call, plan, *root);
    if (!listed) co_return listed.error();
    co_return take_listed(take, *listed, nodes_url(plan, std::move(*root)));
  }
  const bool is_token_allowed = root->is_token_allowed;
  const Url url = nodes_url(plan, std::move(*root));
  std::shared_ptr<ZoneLookups> zone = zones_of(impl_of(call)).of(impl_of(call), url, is_token_allowed);
  asio::awaitable<Taken<Taker>> asking = get_node(call, plan, std::move(zone), std::move(take));
  co_return co_await std::move(asking);
}

// The zone's look-ups if everything needed is known, which is the usual case. Else null.
std::shared_ptr<ZoneLookups> zone_at_hand(Call& call, const TpuPlan& plan, const TpuOptions& options) {
  return call.options().get<TpuCallOptions>().lookup() != TpuLookup::list ? settled_zone(impl_of(call), plan, options) : nullptr;
}

// Not a coroutine: saves a frame per call.
template <class Taker>
asio::awaitable<Taken<Taker>> ask_node(Call& call, const TpuPlan& plan, const TpuOptions& options, Taker&& take) {
  if (std::shared_ptr<ZoneLookups> zone = zone_at_hand(call, plan, options)) return get_node(call, plan, std::move(zone), std::move(take));
  return ask_in_steps(call, plan, options, std::move(take));
}

}  // namespace

// Not coroutines: saves a frame per call.
asio::awaitable<Result<void>> ask_tpu(Call& call, const TpuPlan& plan, const TpuOptions& options, TpuAnswer& found) {
  return ask_node(call, plan, options, NodeTaker(found));
}

asio::awaitable<Result<ClusterSpec>> ask_tpu_spec(Call& call, const TpuPlan& plan, const TpuOptions& options, std::string job) {
  return ask_node(call, plan, options, SpecTaker(plan, std::move(job)));
}

}  // namespace rollcall
