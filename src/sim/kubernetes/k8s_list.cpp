// Lists of pods, page by page, and single pods.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/kubernetes/k8s_api.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace json = boost::json;

namespace {

// The key of a pod in a list, with its namespace if the list is of all namespaces.
std::string key_of(const KubePod& pod, const Route& route) {
  return route.location.empty() ? pod.namespace_name + "/" + pod.name : pod.name;
}

struct PodPage {
  std::vector<json::object> items;
  std::string next;                // key of the page's last pod; empty on the last page
  std::uint64_t remaining = 0;
};

PodPage collect(const KubeQuestion& question, const KubeListOptions& options, std::uint64_t version, std::string_view start,
                std::size_t limit) {
  PodPage page;
  std::string last;
  for (const KubePod& pod : question.model.pods) {
    if (!is_in_scope(pod, question.route)) continue;
    const KubePodState* const state = kube_state_at(pod, version);
    if (!state) continue;
    std::string key = key_of(pod, question.route);
    if (key < start) continue;
    if (limit > 0 && page.items.size() == limit) {  // counts all further pods, even those that do not match
      page.next = last;
      ++page.remaining;
      continue;
    }
    last = std::move(key);
    if (!matches(options.labels, *state->labels)) continue;
    json::object object = kube_pod_json(question.model, pod, *state, state->version);
    if (!matches(options.fields, object)) continue;
    page.items.push_back(question.view.is_metadata_only ? kube_shown(std::move(object), "Pod", question.view) : std::move(object));
  }
  return page;
}

Reply list_reply(const json::object& head, std::vector<json::object> items, const KubeView& view) {
  Reply reply;
  reply.headers.add("Content-Type", "application/json");
  if (view.is_pretty || view.is_metadata_only) {  // in one write
    json::object all = head;
    json::array list;
    for (json::object& item : items) list.push_back(std::move(item));
    all["items"] = std::move(list);
    reply.body = view.is_pretty ? json_text(all, true) : kube_json_text(all) + "\n";
    reply.chunks = kube_chunks({reply.body.size()});
    return reply;
  }
  std::vector<std::size_t> writes;
  const auto write = [&](std::string_view text) {
    reply.body += text;
    writes.push_back(text.size());
  };
  std::string text = kube_json_text(head);
  text.back() = ',';
  write(text + "\"items\":[");
  for (std::size_t i = 0; i < items.size(); ++i) {
    write(kube_json_text(items[i]) + (i + 1 < items.size() ? "," : ""));
    items[i] = json::object();  // saves memory, since a list may be large
  }
  write("]}\n");
  reply.chunks = kube_chunks(writes);
  return reply;
}

struct ListPlan {
  std::uint64_t version = 0;
  std::string start;
  std::size_t limit = 0;
};

// Finds the version and the start of the list. Returns a refusal or a held reply instead, if needed.
std::optional<Reply> plan_list(const KubeQuestion& question, const KubeListOptions& options, ListPlan& plan) {
  const std::uint64_t oldest = kube_oldest_listed(question.model, question.context.now);
  plan.version = question.current;
  plan.limit = static_cast<std::size_t>(options.limit);
  if (!options.continues.empty()) {
    const auto token = parse_continue(options.continues);
    if (!token) return kube_bad_request(token.error().what());
    if (!options.version.empty() && options.version != "0")
      return kube_bad_request("specifying resource version is not allowed when using continue");
    plan.start = token->start;
    if (token->version < 0) return std::nullopt;
    plan.version = static_cast<std::uint64_t>(token->version);
    if (plan.version >= oldest) return std::nullopt;
    json::object gone = kube_status(410, "Expired", expired_continue_message);
    gone["metadata"].as_object()["continue"] = make_restart_token(*token);
    return kube_error(gone);
  }
  const auto wanted = parse_resource_version(options.version);
  if (!wanted) return kube_bad_request(fmt::format("invalid resource version: {}", wanted.error().what()));
  if (options.version == "0") plan.limit = 0;
  bool is_late = false;
  if (auto held = wait_for_version(question, *wanted, is_late)) return held;
  if (is_late) return kube_error(kube_too_large_version(*wanted, question.current));
  const bool is_exact = options.match == "Exact" || (options.match.empty() && options.limit > 0);
  if (!is_exact || *wanted == 0) return std::nullopt;
  if (*wanted < oldest) return kube_error(kube_status(410, "Expired", "The resourceVersion for the provided list is too old."));
  plan.version = *wanted;
  return std::nullopt;
}

}  // namespace

Reply list_pods(const KubeQuestion& question, const KubeListOptions& options) {
  ListPlan plan;
  if (auto instead = plan_list(question, options, plan)) return *std::move(instead);
  PodPage page = collect(question, options, plan.version, plan.start, plan.limit);
  json::object metadata{{"resourceVersion", std::to_string(plan.version)}};
  if (!page.next.empty()) {
    metadata["continue"] = make_continue(static_cast<std::int64_t>(plan.version), "/" + page.next);
    if (options.labels.empty() && options.fields.empty()) metadata["remainingItemCount"] = page.remaining;
  }
  json::object head{{"metadata", std::move(metadata)}};
  const bool is_partial = question.view.is_metadata_only;
  head = kube_with_kind(std::move(head), is_partial ? "PartialObjectMetadataList" : "PodList", is_partial ? "meta.k8s.io/v1" : "v1");
  return list_reply(head, std::move(page.items), question.view);
}

Reply get_pod(const KubeQuestion& question, const ParsedTarget& target) {
  const auto wanted = parse_resource_version(target.get("resourceVersion").value_or(""));
  if (!wanted) return kube_bad_request(fmt::format("invalid resource version: {}", wanted.error().what()));
  bool is_late = false;
  if (auto held = wait_for_version(question, *wanted, is_late)) return *std::move(held);
  if (is_late) return kube_error(kube_too_large_version(*wanted, question.current));
  const auto& pods = question.model.pods;
  const auto found = std::lower_bound(pods.begin(), pods.end(), question.route, [](const KubePod& pod, const Route& route) {
    return std::tie(pod.namespace_name, pod.name) < std::tie(route.location, route.item);
  });
  const bool is_there = found != pods.end() && found->namespace_name == question.route.location && found->name == question.route.item;
  const KubePodState* const state = is_there ? kube_state_at(*found, question.current) : nullptr;
  if (!state) return kube_not_found("pods", question.route.item);
  return kube_object_reply(kube_shown(kube_pod_json(question.model, *found, *state, state->version), "Pod", question.view), question.view);
}

}  // namespace rollcall::sim
