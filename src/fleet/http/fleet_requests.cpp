#include "fleet/http/fleet_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "fleet/http/rules/request_rules.hpp"
#include "fleet/rules/source_key.hpp"
#include "fleet/wire/served_target.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_request_target = 8 * 1024;
constexpr std::string_view list_path = "/v1/clusters";
constexpr std::string_view scrape_path = "/v1/prometheus";
constexpr std::string_view page_path = "/page/";
constexpr std::string_view topology_path = "/v1/topology/";
constexpr std::string_view discovery_path = "/v3/discovery:endpoints";
constexpr std::array<std::string_view, 3> lower_paths = {clusters_path, page_path, topology_path};
constexpr std::array<std::string_view, 8> plain_paths = {list_path,  scrape_path, discovery_path, "/v1/sources",
                                                         "/metrics", "/healthz",  "/readyz",      "/"};

Refusal refused(int status, Errc code, std::string what, std::string hint) {
  return Refusal(status, Failure(code, std::move(what)).with_hint(std::move(hint)));
}

// A name that would deceive whoever reads it in a log or on a page.
bool is_plain_text(std::string_view text) { return printable(text, text.size() + 1) == text && text.find('\n') == std::string_view::npos; }

std::optional<Failure> fault_of_text(const Target& target) {
  bool is_plain = is_plain_text(target.body);
  for (const auto& [key, items] : target.options) {
    for (const std::string& item : items) is_plain = is_plain && is_plain_text(item);
  }
  if (is_plain) return std::nullopt;
  return Failure(Errc::invalid_argument, "the target holds control characters, or bytes that are not UTF-8");
}

// A link on another site leads to the page itself, which nobody can frame or read from there.
bool opens_page(const ServerRequest& request) {
  return request.target.substr(0, request.target.find_first_of("?#")) == "/" &&
         joined_field(request.headers, "Sec-Fetch-Mode") == "navigate" && joined_field(request.headers, "Sec-Fetch-Dest") == "document";
}

// Envoy names its own cluster as the host. No browser asks like that: with POST it always says of which site its page is.
bool is_discovery(const ServerRequest& request) {
  return request.method == "POST" && request.target == discovery_path && !request.headers.get("Origin");
}

}  // namespace

std::size_t max_body_of(const ServerRequest& head) {
  constexpr std::size_t max = 192 * 1024;  // Envoy lists all of its extensions with each question: 77 kB
  return head.method == "POST" && head.target == discovery_path ? max : 0;
}

FleetRequests::StreamSlot::StreamSlot(std::shared_ptr<FleetRequests> service, ClientPtr client)
    : service_(std::move(service)), client_(std::move(client)) {
  ++service_->waiting_;
}

FleetRequests::StreamSlot::~StreamSlot() {
  --service_->waiting_;
  if (!client_->client.empty()) service_->peers_.leave(client_->client);
}

FleetRequests::FleetRequests(std::shared_ptr<Fleet> fleet, FleetHttpOptions options)
    : fleet_(std::move(fleet)), runtime_(shared_impl_of(fleet_->runtime())), options_(std::move(options)), peers_(options_.bounds),
      summaries_(std::make_shared<ClusterSummaries>(fleet_, runtime_)) {}

void FleetRequests::change(const FleetBounds& bounds) {
  options_.bounds = bounds;
  peers_.change(bounds);
  for (const auto& [key, group] : groups_) group->wake_all();
}

void FleetRequests::close(Duration spread) {
  if (closing_at_) return;
  closing_at_ = now();
  second_.cancel();
  closing_spread_ = spread;
  for (const auto& [key, group] : groups_) group->wake_all();
}

std::optional<Refusal> FleetRequests::refusal_of(const ServerRequest& request) const {
  if (options_.is_for_this_machine && !is_local_authority(request.host) && !is_discovery(request)) {
    return refused(421, Errc::invalid_argument, fmt::format("this service is for its own machine, not for {}", quoted(request.host, 80)),
                   "ask it by its address, 127.0.0.1 or [::1], or as localhost");
  }
  const std::string origin = joined_field(request.headers, "Origin");
  if (!origin.empty() && !is_own_origin(origin, request.host)) {
    return refused(403, Errc::permission_denied, fmt::format("a page of {} may not ask this service", quoted(origin, 80)), "");
  }
  // A page's picture has no Origin, but browsers say where the question comes from (Fetch Metadata).
  const std::string site = joined_field(request.headers, "Sec-Fetch-Site");
  if (!site.empty() && site != "same-origin" && site != "none" && !opens_page(request)) {
    return refused(403, Errc::permission_denied, "a page of another site may not ask this service", "");
  }
  if (request.target.size() > max_request_target) {
    return refused(414, Errc::invalid_argument, fmt::format("the address is longer than {} bytes", max_request_target), "");
  }
  return std::nullopt;
}

// No coroutines where they can be none: their frames would stay for as long as a stream.
asio::awaitable<void> FleetRequests::handle(ServerExchange& exchange, RequestNotes& notes) {
  const ServerRequest& request = exchange.request();
  if (std::optional<Refusal> refusal = refusal_of(request)) return refuse(exchange, std::move(*refusal));
  // Whoever looks after the service need not prove who it is, nor whoever wants what is the same for all.
  const std::string_view path = std::string_view(request.target).substr(0, request.target.find_first_of("?#"));
  if (path == "/healthz" || path == "/readyz" || path.starts_with(page_path)) return dispatch(exchange, notes, nullptr);
  if (path == "/" && (request.method == "GET" || request.method == "HEAD"))
    return open_page(exchange, notes);  // its parameters are for its script
  return handle_client(exchange, notes);
}

asio::awaitable<void> FleetRequests::handle_client(ServerExchange& exchange, RequestNotes& notes) {
  ClientPtr client = co_await admit(exchange);
  if (!client) co_return;
  notes.client = client;
  co_await dispatch(exchange, notes, std::move(client));
}

asio::awaitable<void> FleetRequests::dispatch(ServerExchange& exchange, RequestNotes& notes, ClientPtr client) {
  const ServerRequest& request = exchange.request();
  const std::string_view target = request.target;
  const std::string_view path = target.substr(0, target.find_first_of("?#"));
  const bool is_cluster = path.starts_with(clusters_path);
  const auto is_under = [path](std::string_view place) { return path.starts_with(place); };
  const bool is_below = std::any_of(lower_paths.begin(), lower_paths.end(), is_under);
  if (!is_below && std::find(plain_paths.begin(), plain_paths.end(), path) == plain_paths.end()) {
    const auto meant = nearest(path, plain_paths);
    std::string hint = meant ? fmt::format("did you mean {}?", *meant)
                             : fmt::format("there are {}TARGET, {}", clusters_path, fmt::join(plain_paths, ", "));
    return refuse(exchange, refused(404, Errc::not_found, fmt::format("there is no {}", quoted(path, 80)), std::move(hint)));
  }
  notes.place =
      is_below ? *std::find_if(lower_paths.begin(), lower_paths.end(), is_under) : *std::find(plain_paths.begin(), plain_paths.end(), path);
  if (path == discovery_path && request.method == "POST") return handle_discovery(exchange, notes, std::move(client));
  if (path == discovery_path || (request.method != "GET" && request.method != "HEAD")) {
    return refuse(exchange,
                  refused(405, Errc::invalid_argument,
                          fmt::format("{} is not for this service, which only tells", quoted(request.method, 32)), "ask by GET or HEAD"));
  }
  if (is_cluster) return handle_cluster(exchange, notes, std::move(client), target.substr(clusters_path.size()));
  if (path == scrape_path)
    return handle_scrape(exchange, notes, std::move(client), target.substr(std::min(path.size() + 1, target.size())));
  if (path.size() != target.size()) {
    return refuse(exchange, refused(400, Errc::invalid_argument, fmt::format("{} takes no parameters", path), ""));
  }
  if (path.starts_with(page_path)) return show_page_file(exchange, path.substr(page_path.size()));
  if (path.starts_with(topology_path)) return tell_topology(exchange, path.substr(topology_path.size()));
  if (path == "/v1/sources") return list_sources(exchange, *client);
  if (path == "/healthz") return say(exchange, 200, "ok\n");
  if (path == "/readyz") return tell_readiness(exchange);
  if (path == "/metrics") return tell_metrics(exchange, std::move(client));
  return list_clusters(exchange, std::move(client));
}

asio::awaitable<void> FleetRequests::handle_cluster(ServerExchange& exchange, RequestNotes& notes, ClientPtr client,
                                                    std::string_view text) {
  const ServerRequest& request = exchange.request();
  Result<FleetQuestion> question = FleetQuestion::parse(text);
  if (!question) return refuse(exchange, Refusal(400, question.error()));
  if (logs_requests()) {
    notes.question = question->to_text();
    notes.target = question->target.to_text();
  }
  const bool is_stream = request.method == "GET" && takes_events(joined_field(request.headers, "Accept"));
  if (is_stream && question->view == View::history) {
    return refuse(exchange, refused(406, Errc::invalid_argument, "view=history is not told as a stream", "ask for it as application/json"));
  }
  if (std::optional<Refusal> refusal = refusal_of_target(question->target, *client)) return refuse(exchange, std::move(*refusal));
  if (is_stream && is_closing()) return refuse(exchange, refused(503, Errc::unavailable, "this server stops", "another one goes on"));
  StreamSlotPtr slot;
  if (std::optional<Refusal> refusal = acquire_slot(client, slot)) return refuse(exchange, std::move(*refusal));
  Result<std::shared_ptr<Topic>> topic = topic_of(*question, *client);
  if (!topic) return refuse(exchange, refusal_of_topic(question->target, topic.error()));
  std::shared_ptr<ViewGroup> group = group_of(std::move(*topic), *question, *client);
  if (!group) {
    return refuse(exchange,
                  refused(429, Errc::limit_exceeded,
                          "as many questions of their own kind are followed about this target as may be, of all clients or of this one",
                          "ask with the same view, until and members as others do"));
  }
  if (!is_stream) return answer(exchange, std::move(client), std::move(slot), std::move(group), std::move(*question));
  return follow(exchange, notes, std::move(client), std::move(slot), std::move(group), std::move(question->self));
}

// Before anything is asked.
std::optional<Refusal> FleetRequests::refusal_of_target(const Target& target, const Client& client) const {
  if (std::optional<Failure> fault = fault_of_text(target)) return Refusal(400, std::move(*fault));
  // A context of a kubeconfig is named by the settings alone: what is followed there may be asked for as it is called.
  // Whoever may not read it is not told whether it is followed.
  const Result<void> served = check_served(target);
  const bool is_of_context = !served && target.get("context");
  if (is_of_context && !may_see(client, target)) return hidden(client, target.to_text());
  if (!served && !(is_of_context && fleet_->has_topic(target))) return Refusal(400, served.error());
  if (!may_see(client, target)) return hidden(client, target.to_text());
  return std::nullopt;
}

Refusal FleetRequests::refusal_of_topic(const Target& target, const Failure& why) {
  const bool is_bound = why.code() == Errc::limit_exceeded || why.code() == Errc::rate_limited;
  Refusal refusal(is_bound ? 429 : why.code() == Errc::invalid_argument ? 400 : 503, why);
  refusal.target = target.to_text();
  return refusal;
}

Result<std::shared_ptr<Topic>> FleetRequests::topic_of(const FleetQuestion& question, const Client& client) {
  const std::string text = canonical_target(question.target).to_text();
  if (std::exchange(topics_of_, fleet_->position().instance) != fleet_->position().instance) topics_.clear();
  const auto known = topics_.find(text);
  if (known != topics_.end()) {
    std::shared_ptr<Topic> topic = known->second.lock();
    if (topic) topic->name(client.namer);
    if (topic) return topic;
  }
  if (!client.namer.empty() && !peers_.take_target(client.namer, now())) {
    return Failure(Errc::rate_limited,
                   fmt::format("this client has named {} targets within an hour that nobody else asks for, which is as many as it may",
                               options_.bounds.unknown_targets_an_hour))
        .with_hint("ask for those that were named already, or later");
  }
  Result<std::shared_ptr<Topic>> topic = fleet_->topic(question.target);
  const bool is_full = !topic && topic.error().code() == Errc::limit_exceeded;
  // What is kept for those who may come back holds targets that the fleet would give up.
  if (is_full && std::erase_if(groups_, [](const auto& one) { return one.second->listeners() == 0; }) > 0)
    topic = fleet_->topic(question.target);
  if (!topic) return topic;
  topics_[text] = *topic;
  (*topic)->name(client.namer);
  return topic;
}

}  // namespace rollcall::fleet
