// The TPUs and the queued resources of a search.
#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "discover/discover_pages.hpp"
#include "google/wire/resource_id.hpp"
#include "resolvers/queued/wire/queued_resource.hpp"
#include "resolvers/tpu/rules/tpu_rules.hpp"
#include "resolvers/tpu/rules/tpu_service.hpp"
#include "resolvers/tpu/tpu_api.hpp"
#include "resolvers/tpu/tpu_spec.hpp"
#include "resolvers/tpu/wire/tpu_node_list.hpp"
#include "rollcall/target.hpp"

namespace rollcall {
namespace {

// The fields of a row: this cuts an answer to a quarter. v1 has no acceleratorConfig, and a mask must not name an unknown field.
constexpr std::string_view tpu_mask = "name,state,health,acceleratorType,networkEndpoints(ipAddress,port)";
constexpr std::string_view newer_tpu_mask = ",acceleratorConfig,queuedResource,multisliceNode";

ListQuestion tpu_question(const Discovery& search, const ListTask& task, std::string_view what, std::string_view rest) {
  ListQuestion question;
  question.service = &tpu_service;
  question.what = fmt::format("{} of {}", what, task.place());
  question.url = search.tpu_root.url;
  question.url.target +=
      fmt::format("projects/{}/locations/{}/{}", task.project, task.zone.empty() ? std::string_view("-") : task.zone, rest);
  question.is_token_allowed = search.tpu_root.is_token_allowed;
  return question;
}

// Project and zone from `projects/P/locations/Z/…`, if the name has them.
void set_place(Found& found, std::string_view name, const ListTask& task) {
  found.project = task.project;
  found.zone = task.zone;
  constexpr std::string_view locations = "/locations/";
  const std::size_t at = name.find(locations);
  if (at == std::string_view::npos) return;
  const std::string_view zone = name.substr(at + locations.size());
  const std::string_view id = zone.substr(0, zone.find('/'));
  if (is_resource_id(id)) found.zone = id;
}

// False for a node whose name has another meaning in a target: `local` is this machine there.
bool is_read_as_node(const std::string& id) {
  static const std::shared_ptr<const Environment> empty = fixed_environment({});
  const Result<TpuPlan> plan = plan_tpu(TpuOptions(id), *empty);
  return plan && plan->kind == TpuKind::api && plan->node_id == id;
}

std::string tpu_target(const Found& found, std::string body) {
  Target target;
  target.scheme = tpu_rules.scheme;
  target.body = std::move(body);
  target.options.emplace_back("project", std::vector<std::string>{found.project});
  target.options.emplace_back("zone", std::vector<std::string>{found.zone});
  return target.to_text();
}

std::string node_target(const Found& found, const std::string& id) {
  if (is_read_as_node(id)) return tpu_target(found, id);
  Target target;
  target.scheme = tpu_rules.scheme;
  target.body = fmt::format("projects/{}/locations/{}/nodes/{}", found.project, found.zone, id);
  return target.to_text();
}

Found found_tpu(const TpuNode& node, const ListTask& task) {
  Found found;
  found.kind = FoundKind::tpu;
  found.name = node.id;
  set_place(found, node.name, task);
  found.target = node_target(found, node.id);
  found.state = node.state;
  found.health = node.health;
  found.accelerator_type = node.accelerator_type;
  found.queued_resource = last_segment(node.queued_resource);
  found.members = node.network_endpoints.size();
  found.addresses.reserve(node.network_endpoints.size());
  for (const TpuNode::NetworkEndpoint& endpoint : node.network_endpoints) {
    if (!endpoint.ip_address.empty()) found.addresses.push_back(Endpoint(endpoint.ip_address, endpoint.port).to_text());
  }
  if (found.members > 0) return found;
  const Result<AcceleratorType> type = accelerator_of(node.id, node);  // while the node is being created, the count by its type
  if (type) found.members = static_cast<std::size_t>(type->hosts());
  return found;
}

Found found_request(const QueuedResource& request, const ListTask& task) {
  Found found;
  found.kind = FoundKind::queued_resource;
  found.name = request.id;
  set_place(found, request.name, task);
  found.target = tpu_target(found, "qr/" + request.id);
  found.state = request.state;
  found.members = node_count(request);
  if (!request.node_specs.empty()) found.accelerator_type = request.node_specs.front().accelerator_type;
  return found;
}

Failure silent_place(const ListQuestion& question, const std::string& place) {
  Failure failure(Errc::unavailable, fmt::format("{}: {} did not answer", question.what, quoted(last_segment(place), 80)));
  failure.with_target(question.url.without_query()).with_last_status(200).with_hint("what is there is missing: ask again later");
  return failure;
}

// An invalid address is missing from the row, and the first one is reported as a problem.
std::optional<Failure> refused_address(const TpuNode& node) {
  const std::string* refused = &node.refused_ip;
  for (const TpuNode::NetworkEndpoint& endpoint : node.network_endpoints) {
    if (refused->empty()) refused = &endpoint.refused_ip;
  }
  if (refused->empty()) return std::nullopt;
  return about_tpu(node.id, Failure(Errc::malformed_response, *refused));
}

class TpuFinds {
 public:
  TpuFinds(const ListQuestion& question, const ListTask& task) : question_(question), task_(task) {}
  std::vector<TpuNode> take(TpuNodeListParser& page) {
    std::vector<TpuNode> nodes = page.take_nodes();
    refused_.clear();
    for (const TpuNode& node : nodes) {
      const std::optional<Failure> refused = refused_address(node);
      if (refused) refused_.push_back(Failure(*refused).with_target(question_.url.without_query()));
    }
    return nodes;
  }
  Found found(const TpuNode& node) const { return found_tpu(node, task_); }
  std::vector<Failure> problems(TpuNodeListParser& page) {
    std::vector<Failure> problems = std::exchange(refused_, {});
    for (const TpuNodeListParser::Fault& fault : page.take_faults()) {
      problems.push_back(fault.id.empty() ? fault.problem : about_tpu(fault.id, fault.problem));
      problems.back().with_target(question_.url.without_query());
    }
    for (const std::string& place : page.unreachable()) problems.push_back(silent_place(question_, place));
    return problems;
  }

 private:
  const ListQuestion& question_;
  const ListTask& task_;
  std::vector<Failure> refused_;  // invalid addresses of the page's nodes
};

class QueuedFinds {
 public:
  QueuedFinds(const ListQuestion& question, const ListTask& task) : question_(question), task_(task) {}
  std::vector<QueuedResource> take(QueuedResourceListParser& parser) const { return std::move(parser.page().requests); }
  Found found(const QueuedResource& request) const { return found_request(request, task_); }
  std::vector<Failure> problems(QueuedResourceListParser& parser) const {
    std::vector<Failure> problems;
    for (const std::string& place : parser.page().unreachable) problems.push_back(silent_place(question_, place));
    return problems;
  }

 private:
  const ListQuestion& question_;
  const ListTask& task_;
};

}  // namespace

asio::awaitable<Result<void>> list_tpus(Call& call, Discovery& search, const ListTask& task) {
  const bool is_v1 = search.options.api_version() == TpuApiVersion::v1;
  const std::string rest = fmt::format("nodes?pageSize=1000&prettyPrint=false&fields=nextPageToken,unreachable,nodes({}{})", tpu_mask,
                                       is_v1 ? std::string_view(",ipAddress,port") : newer_tpu_mask);
  const ListQuestion question = tpu_question(search, task, "TPUs", rest);
  TpuFinds finds(question, task);
  co_return co_await discover_pages<TpuNodeListParser>(call, search, task, question, finds);
}

asio::awaitable<Result<void>> list_queued_resources(Call& call, Discovery& search, const ListTask& task) {
  const ListQuestion question = tpu_question(search, task, "queued resources", "queuedResources?pageSize=1000&prettyPrint=false");
  const QueuedFinds finds(question, task);
  co_return co_await discover_pages<QueuedResourceListParser>(call, search, task, question, finds);
}

}  // namespace rollcall
