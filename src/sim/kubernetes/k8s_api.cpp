#include "sim/kubernetes/k8s_api.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "sim/kubernetes/k8s_objects.hpp"
#include "sim/wire/k8s_names.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace json = boost::json;

namespace {

constexpr std::size_t min_gzip_bytes = 128 * 1024;

bool wants_pretty(const Request& request, const ParsedTarget& target) {
  if (const auto pretty = target.get("pretty"); pretty && !pretty->empty())
    return *pretty == "1" || *pretty == "t" || *pretty == "T" || *pretty == "true" || *pretty == "True" || *pretty == "TRUE";
  const std::string_view agent = request.headers.get("User-Agent").value_or("");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

// One media range of an Accept header. None for a type that this server does not produce.
std::optional<KubeView> view_of_range(std::string_view range) {
  KubeView view;
  const std::string type = to_lower(trim(range.substr(0, range.find(';'))));
  if (type != "application/json" && type != "application/*" && type != "*/*" && !type.empty()) return std::nullopt;
  for (std::size_t at = range.find(';'); at != std::string_view::npos && at < range.size();) {
    const std::size_t end = std::min(range.find(';', at + 1), range.size());
    const std::string_view parameter = trim(range.substr(at + 1, end - at - 1));
    at = end;
    if (!parameter.starts_with("as=")) continue;
    if (!parameter.substr(3).starts_with("PartialObjectMetadata")) return std::nullopt;
    view.is_metadata_only = true;
  }
  return view;
}

std::optional<KubeView> negotiate(const Request& request) {
  const std::string_view accept = request.headers.get("Accept").value_or("");
  for (const std::string_view range : split(accept, ',')) {
    if (const auto view = view_of_range(range)) return view;
  }
  return std::nullopt;
}

Reply not_acceptable() {
  const json::object status = kube_status(406, "NotAcceptable",
                                          "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
                                          "application/vnd.kubernetes.protobuf, application/json;stream=watch, "
                                          "application/vnd.kubernetes.protobuf;stream=watch",
                                          json::object());
  Reply reply = kube_error(status);
  reply.body = json_text(status, true);
  reply.body.pop_back();
  return reply;
}

// Adds the headers of every answer around the reply's own.
void add_common_headers(Reply& reply, const Context& context, const ParsedTarget& target) {
  constexpr std::string_view flow = "5f6e7d8c-0000-4000-8000-000000000018";
  constexpr std::string_view level = "5f6e7d8c-0000-4000-8000-000000000007";
  HeaderList all;
  all.add("Audit-Id", uuid_of(fmt::format("{} {}", context.state.total, target.path)));
  all.add("Cache-Control", "no-cache, private");
  reply.headers.each([&all](std::string_view name, std::string_view value) { all.add(std::string(name), std::string(value)); });
  if (reply.status != 401) {
    all.add("X-Kubernetes-Pf-Flowschema-Uid", std::string(flow));
    all.add("X-Kubernetes-Pf-Prioritylevel-Uid", std::string(level));
  }
  all.add("Date", format_http_date(context.model.kubernetes->start + std::chrono::floor<std::chrono::seconds>(context.now)));
  reply.headers = std::move(all);
}

Reply answer_pods(const KubeQuestion& question, const ParsedTarget& target) {
  if (question.route.verb == "get") return get_pod(question, target);
  std::optional<Reply> refusal;
  const auto options = read_list_options(question.model, target, "pods", refusal);
  if (!options) return *std::move(refusal);
  return options->is_watch ? watch_pods(question, *options) : list_pods(question, *options);
}

Reply answer(const Context& context, const Request& request, const Route& route, const ParsedTarget& target, SteadyTime now) {
  const KubernetesModel& model = *context.model.kubernetes;
  const auto caller = kube_caller(context, request);
  if (!caller) return kube_error(kube_status(401, "Unauthorized", "Unauthorized"));
  if (auto refusal = kube_refusal(*caller, route, target)) return *std::move(refusal);
  if (route.name == "kubernetes.unknown") {
    const bool is_group = route.collection.empty() || !route.group.empty();
    return is_group ? kube_text(404, "404 page not found\n") : kube_no_resource();
  }
  if (request.method != "GET" && !is_review(route) && !is_token_question(route)) return kube_no_method();
  if (route.name.starts_with("openid.")) return kube_issuer(request, route);
  auto view = negotiate(request);
  if (!view) return not_acceptable();
  view->is_pretty = wants_pretty(request, target);
  if (is_review(route)) return kube_review(*caller, request, route, *view);
  if (is_token_question(route)) return kube_token_question(context, request, route, *view);
  if (route.collection.empty()) return kube_discovery(model, route, target, *view);
  const KubeQuestion question{context, model, request, route, *view, now, kube_version_at(model, context.now)};
  if (route.name.starts_with("objects.")) return answer_objects(question, target);
  if (route.collection == "pods") return answer_pods(question, target);
  std::optional<Reply> refusal;
  const auto options = read_list_options(model, target, "namespaces", refusal);
  return options ? kube_namespaces(question, *options) : *std::move(refusal);
}

}  // namespace

Reply answer_kubernetes(const Context& context, const Request& request, const Route& route, const ParsedTarget& sent, SteadyTime now) {
  const ParsedTarget target = sent.as_go_reads();
  Reply reply = answer(context, request, route, target, now);
  if (reply.hold) return reply;
  const bool is_json = reply.headers.get("Content-Type") == std::optional<std::string_view>("application/json");
  if (reply.status >= 400 && reply.status != 406 && is_json && wants_pretty(request, target))
    reply.body = json_text(json::parse(reply.body), true);
  const auto accepted = request.headers.get("Accept-Encoding");
  if (route.verb != "watch" && reply.body.size() > min_gzip_bytes && accepted && accepted->find("gzip") != std::string_view::npos) {
    reply.is_gzip = true;
    reply.headers.add("Vary", "Accept-Encoding");
  }
  add_common_headers(reply, context, target);
  return reply;
}

Reply kube_scripted(const Context& context, const FaultRule& rule, const Route& route, const ParsedTarget& target) {
  static constexpr std::pair<int, std::pair<std::string_view, std::string_view>> known[] = {
      {400, {"BadRequest", "the server rejected our request for an unknown reason"}},
      {401, {"Unauthorized", "Unauthorized"}},
      {403, {"Forbidden", "forbidden"}},
      {404, {"NotFound", "the server could not find the requested resource"}},
      {405, {"MethodNotAllowed", "the server does not allow this method on the requested resource"}},
      {409, {"Conflict", "the server reported a conflict"}},
      {410, {"Expired", "The resourceVersion for the provided list is too old."}},
      {500, {"InternalError", "Internal error occurred: etcdserver: request timed out"}},
      {503, {"ServiceUnavailable", "the server is currently unable to handle the request"}},
      {504, {"Timeout", "Timeout: request did not complete within the allotted timeout"}}};
  const int status = *rule.status;
  Reply reply;
  if (status == 429 && rule.message.empty() && rule.reason.empty()) {
    reply = kube_text(429, "Too many requests, please try again later.\n");
    const double seconds = std::strtod(rule.retry_delay.c_str(), nullptr);
    reply.headers.add("Retry-After", std::to_string(seconds >= 1 ? static_cast<int>(seconds) : 1));
  } else {
    const auto found = std::find_if(std::begin(known), std::end(known), [&](const auto& one) { return one.first == status; });
    std::string_view reason = found != std::end(known) ? found->second.first : status == 429 ? "TooManyRequests" : "";
    std::string_view message = found != std::end(known) ? found->second.second : status_phrase(status);
    const auto token = target.get("continue");
    const bool is_page = status == 410 && route.name == "pods.list" && token && !token->empty();
    if (is_page) message = expired_continue_message;
    if (!rule.reason.empty()) reason = rule.reason;
    if (!rule.message.empty()) message = rule.message;
    const double seconds = std::strtod(rule.retry_delay.c_str(), nullptr);
    std::optional<json::object> details;
    if (seconds > 0) details = kube_details("", "", {}, "", std::max(1, static_cast<int>(seconds)));
    json::object body = kube_status(status, reason, message, std::move(details));
    const auto parsed = is_page ? parse_continue(*token) : Result<KubeContinue>(KubeContinue());
    if (is_page && parsed) body["metadata"].as_object()["continue"] = make_restart_token(*parsed);
    reply = kube_error(body);
  }
  add_common_headers(reply, context, target);
  return reply;
}

json::object kube_shown(json::object object, std::string_view kind, const KubeView& view) {
  if (!view.is_metadata_only) return kube_with_kind(std::move(object), kind);
  return kube_with_kind({{"metadata", std::move(object["metadata"])}}, "PartialObjectMetadata", "meta.k8s.io/v1");
}

Reply kube_object_reply(const json::object& object, const KubeView& view) {
  Reply reply;
  reply.headers.add("Content-Type", "application/json");
  reply.body = view.is_pretty ? json_text(object, true) : kube_json_text(object) + "\n";
  reply.chunks = kube_chunks({reply.body.size()});
  return reply;
}

bool is_in_scope(const KubePod& pod, const Route& route) { return route.location.empty() || pod.namespace_name == route.location; }

std::optional<Reply> wait_for_version(const KubeQuestion& question, std::uint64_t wanted, bool& is_late) {
  constexpr Duration patience = std::chrono::seconds(3);
  is_late = false;
  if (wanted <= question.current) return std::nullopt;
  Held held;
  held.since = question.request.held ? question.request.held->since : question.now;
  is_late = question.now - held.since >= patience;
  if (is_late) return std::nullopt;
  held.ask_again = held.since + patience;
  if (const KubeEvent* event = kube_event_of(question.model, wanted))
    held.ask_again = std::min(held.ask_again, saturating_sum(question.now, event->at - question.context.now));
  Reply reply;
  reply.hold = std::move(held);
  return reply;
}

}  // namespace rollcall::sim
