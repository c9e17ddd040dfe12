#include "resolvers/queued/queued_api.hpp"

#include <fmt/format.h>

#include "async/group.hpp"
#include "base/text.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "google/cloud_place.hpp"
#include "resolvers/queued/queued_status.hpp"
#include "resolvers/tpu/rules/tpu_service.hpp"
#include "resolvers/tpu/tpu_node_lists.hpp"

namespace rollcall {
namespace {

constexpr std::size_t nodes_by_get = 3;

TpuPlan slice_plan(const QueuedPlan& plan, const std::string& id) {
  TpuPlan node;
  node.name = node.node_id = id;
  node.project = plan.project;
  node.zone = plan.zone;
  return node;
}

// The memory that a copy takes.
std::size_t memory_of(const TpuNode& node) {
  constexpr std::size_t texts = 1024;
  return sizeof(FoundSlice) + texts + node.network_endpoints.size() * sizeof(TpuNode::NetworkEndpoint) +
         node.symptoms.size() * 2 * sizeof(TpuNode::Symptom);
}

asio::awaitable<Result<TpuNode>> get_slice(Call& call, TpuPlan node, const TpuOptions& api) {
  TpuAnswer found;
  const Result<void> got = co_await ask_tpu(call, node, api, found);
  if (!got) co_return got.error();
  co_return TpuNode(std::move(found));
}

}  // namespace

asio::awaitable<Result<FoundQueued>> ask_queued(Call& call, QueuedPlan& plan) {
  const std::string who = queued_name(plan.name);
  const Result<void> completed = co_await complete_place(call, who, plan.project, &plan.zone);
  if (!completed) co_return completed.error();
  FoundQueued found;
  Result<TpuApiRoot> root = co_await find_tpu_api(call, plan.api);
  if (!root) {
    Failure failure = root.error();
    co_return failure.with_what(fmt::format("{}: {}", who, failure.what()));
  }
  found.root = std::move(*root);
  Url url = found.root.url;
  url.target += fmt::format("projects/{}/locations/{}/queuedResources/{}", plan.project, plan.zone, plan.name);
  ApiRequest request = cloud_request(tpu_service, std::move(url), who, found.root.is_token_allowed);
  Result<HttpResponse> response = co_await api_send(call, request);
  if (!response) co_return response.error();
  found.asked = request.http.url.without_query();
  found.status = response->status;
  Result<QueuedResource> parsed = parse_queued_resource(response->body, parse_limits(impl_of(call)));
  if (!parsed) {
    Failure failure = parsed.error();
    failure.with_what(fmt::format("{}: {}", who, failure.what())).with_target(found.asked).with_last_status(found.status);
    co_return failure;
  }
  found.request = std::move(*parsed);
  co_return found;
}

asio::awaitable<Result<std::vector<FoundSlice>>> ask_slices(Call& call, const QueuedPlan& plan, const FoundQueued& found) {
  std::vector<FoundSlice> slices;
  MemoryShare memory(impl_of(call).memory);
  std::vector<asio::awaitable<Result<TpuNode>>> questions;
  const std::vector<std::string> ids = node_ids(found.request);
  bool names_all = !ids.empty();
  for (const std::string& id : ids) names_all = names_all && !id.empty();
  if (!names_all) {
    Failure failure(Errc::malformed_response, queued_name(plan.name) + ": the answer does not name its nodes");
    co_return failure.with_target(found.asked).with_last_status(found.status);
  }
  const bool by_list = ids.size() > nodes_by_get;
  for (const std::string& id : ids) {
    slices.emplace_back().id = id;
    if (!by_list) questions.push_back(get_slice(call, slice_plan(plan, id), plan.api));
  }
  std::vector<Result<TpuNode>> answers = co_await gather(std::move(questions));
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (by_list) {  // the first look-up reads the list, the others use it
      const TpuPlan node = slice_plan(plan, slices[i].id);
      Result<TpuNode> answer = co_await look_up_in_list(call, node, found.root);
      answers.push_back(std::move(answer));
    }
    if (answers[i]) {
      // A request that names a node several times gets one copy for each.
      if (!memory.charge(memory_of(*answers[i]))) co_return too_much_memory(queued_name(plan.name), memory);
      slices[i].node = std::move(*answers[i]);
      continue;
    }
    slices[i].problem = answers[i].error();
    // Only these two errors concern a single node. All other errors end the call.
    const bool is_own = slices[i].problem.code() == Errc::not_found || slices[i].problem.code() == Errc::malformed_response;
    if (!is_own) co_return slices[i].problem;
  }
  co_return slices;
}

}  // namespace rollcall
