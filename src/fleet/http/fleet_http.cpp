#include "fleet/http/fleet_http.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/at_end.hpp"
#include "fleet/http/pages.hpp"
#include "fleet/http/replies.hpp"
#include "fleet/http/request_guard.hpp"
#include "fleet/replica_desk.hpp"
#include "fleet/wire/fleet_question.hpp"

namespace rollcall::fleet {
namespace {

std::string_view path_of(const ServerRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find_first_of("?#"));
}

}  // namespace

FleetHttp::FleetHttp(std::shared_ptr<Fleet> fleet, const FleetHttpOptions& options)
    : entry_(std::make_shared<ServiceEntry>(fleet, options)), is_for_this_machine_(options.is_for_this_machine) {
  ServiceEntry& entry = *entry_;
  const auto summaries = std::make_shared<ClusterSummaries>(std::move(fleet), entry.runtime());
  constexpr auto get = Route::Methods::get;
  constexpr auto post = Route::Methods::post;
  routes_.add(Route(clusters_path, get, Route::below + Route::takes_parameters), make_cluster_page(entry)).argument = "TARGET";
  routes_.add(Route("/v1/clusters", get, Route::exact), make_list_page(entry, summaries));
  routes_.add(Route("/v1/prometheus", get, Route::takes_parameters), make_scrape_page(entry));
  routes_.add(Route("/v3/discovery:endpoints", post, Route::takes_parameters), make_discovery_page(entry)).max_body = max_discovery_body;
  routes_.add(Route("/v1/sources", get, Route::exact), make_sources_page(entry));
  routes_.add(Route("/v1/replicas", get, Route::exact), make_replicas_page(entry));
  routes_.add(Route("/v1/replica", get, Route::takes_parameters), make_replica_page(entry));
  routes_.add(Route("/v1/replica/wanted", Route::Methods::put, Route::exact), make_wanted_page(entry)).max_body = max_wanted_body;
  const auto desk = std::make_shared<RunDesk>(entry.runtime());
  routes_.add(Route("/v1/runs", get, Route::exact), make_runs_page(entry, desk));
  Route& hello = routes_.add(Route("/v1/runs/", Route::Methods::put, Route::below), make_hello_page(entry, desk));
  hello.argument = "RUN/members/NUMBER";
  hello.max_body = meeting::max_hello_bytes;
  routes_.add(Route("/metrics", get, Route::exact), make_metrics_page(entry));
  routes_.add(Route("/healthz", get, Route::needs_no_client), make_health_page());
  routes_.add(Route("/readyz", get, Route::needs_no_client), make_readiness_page(entry));
  routes_.add(Route("/", get, Route::takes_parameters + Route::authenticates_itself), make_overview_page(entry, summaries));
  routes_.add(Route("/page/", get, Route::below + Route::needs_no_client), make_page_files(entry));
  routes_.add(Route("/v1/topology/", get, Route::below), make_topology_page(entry)).argument = "TYPE";
}

HttpServer::Handler FleetHttp::handler() {
  return [self = shared_from_this()](ServerExchange& exchange) { return self->serve(exchange); };
}

HttpServer::BodyRule FleetHttp::body_rule() {
  return [self = shared_from_this()](const ServerRequest& head) -> std::size_t {
    const Route* const route = self->routes_.find(path_of(head));
    return route && route->takes(head.method) ? route->max_body : 0;
  };
}

asio::awaitable<void> FleetHttp::serve(ServerExchange& exchange) {
  const std::shared_ptr<FleetHttp> self = shared_from_this();
  RequestNotes notes(entry_->now());
  const AtEnd end([this, &exchange, &notes] { finish_request(*entry_, exchange, notes); });
  co_await handle(exchange, notes);
}

// Functions that need not be coroutines are none: their frames would stay for as long as a stream.
asio::awaitable<void> FleetHttp::handle(ServerExchange& exchange, RequestNotes& notes) {
  const ServerRequest& request = exchange.request();
  const Route* const route = routes_.find(path_of(request));
  const bool is_allowed = route && route->takes(request.method);
  // Envoy sends the name of its own cluster as the Host. A browser always sends the Origin with POST.
  const bool is_discovery =
      is_allowed && route->methods == Route::Methods::post && request.target == route->path && !request.headers.get("Origin");
  std::optional<Refusal> refusal = refusal_of_origin(request, is_for_this_machine_, is_discovery);
  if (refusal) return refuse(*entry_, exchange, std::move(*refusal));
  const bool needs_no_client = route && (route->has(Route::needs_no_client) || (is_allowed && route->has(Route::authenticates_itself)));
  if (needs_no_client) return dispatch(exchange, notes, route, nullptr);
  return handle_client(exchange, notes, route);
}

asio::awaitable<ClientPtr> FleetHttp::admit(ServerExchange& exchange) {
  std::optional<Refusal> refusal;
  ClientPtr client = co_await entry_->admission().authenticate(exchange.request(), refusal);
  if (refusal) {
    co_await refuse(*entry_, exchange, std::move(*refusal));
    co_return nullptr;
  }
  co_return client;
}

// Its frame stays for as long as a stream: keep it small.
asio::awaitable<void> FleetHttp::handle_client(ServerExchange& exchange, RequestNotes& notes, const Route* route) {
  ClientPtr client = co_await admit(exchange);
  if (!client) co_return;
  notes.client = client;
  co_await dispatch(exchange, notes, route, std::move(client));
}

asio::awaitable<void> FleetHttp::dispatch(ServerExchange& exchange, RequestNotes& notes, const Route* route, ClientPtr client) {
  const ServerRequest& request = exchange.request();
  const std::string_view path = path_of(request);
  if (!route) return refuse(*entry_, exchange, routes_.refusal_of_path(path));
  notes.place = route->path;
  if (!route->takes(request.method)) return refuse_method(*entry_, exchange, route->refusal_of_method(request.method), route->allow());
  if (!route->has(Route::takes_parameters) && path.size() != request.target.size()) {
    return refuse(*entry_, exchange, Refusal(400, Failure(Errc::invalid_argument, fmt::format("{} takes no parameters", path))));
  }
  PageRequest page_request(exchange, notes, std::move(client), std::string_view(request.target).substr(route->path.size()));
  return route->page->answer(std::move(page_request));
}

}  // namespace rollcall::fleet
