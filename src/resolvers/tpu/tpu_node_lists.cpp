#include "resolvers/tpu/tpu_node_lists.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "google/list_pages.hpp"
#include "resolvers/tpu/rules/tpu_service.hpp"
#include "resolvers/tpu/tpu_spec.hpp"

namespace rollcall {
namespace {

using IndexPointer = std::shared_ptr<const TpuNodeIndex>;

asio::awaitable<Result<IndexPointer>> read_list(Call& call, const ListQuestion& question) {
  auto index = std::make_shared<TpuNodeIndex>(impl_of(call).memory);
  ListPages<TpuNodeListParser> pages(call, question);
  for (;;) {
    const Result<TpuNodeListParser*> page = co_await pages.next();
    if (!page) co_return page.error();
    if (!*page) co_return IndexPointer(std::move(index));
    index->add_page(**page);
  }
}

Result<TpuNode> pick(const TpuNodeIndex& index, const TpuPlan& plan, const std::string& list_url) {
  const auto node = index.nodes.find(plan.node_id);
  if (node != index.nodes.end()) return node->second;
  const auto fault = index.faults.find(plan.node_id);
  if (fault != index.faults.end()) {
    Failure failure = about_tpu(plan.name, fault->second);
    failure.with_target(list_url);
    return failure;
  }
  if (!index.unreachable.empty()) {
    return Failure(Errc::unavailable, fmt::format("TPU {}: not in the list of its zone, but the list is incomplete ({} did not answer)",
                                                  quoted(plan.name), printable(index.unreachable.front(), 80)))
        .with_target(list_url);
  }
  return Failure(Errc::not_found, fmt::format("TPU {}: not among the {} TPUs of project {}, zone {}", quoted(plan.name), index.nodes.size(),
                                              quoted(plan.project), quoted(plan.zone)))
      .with_target(list_url)
      .with_hint("check the name, the project and the zone");
}

}  // namespace

void TpuNodeIndex::add_page(TpuNodeListParser& page) {
  for (TpuNode& node : page.take_nodes()) {
    std::string id = node.id;
    nodes.insert_or_assign(std::move(id), std::move(node));
  }
  for (TpuNodeListParser::Fault& fault : page.take_faults()) {
    if (!fault.id.empty()) faults.insert_or_assign(std::move(fault.id), std::move(fault.problem));
  }
  for (const std::string& place : page.unreachable()) unreachable.push_back(place);
  memory.add(std::move(page.memory()));
}

asio::awaitable<Result<TpuNode>> look_up_in_list(Call& call, const TpuPlan& plan, const TpuApiRoot& root) {
  const std::shared_ptr<TpuNodeLists> lists = call.shared<TpuNodeLists>();
  const Url list_url = nodes_url(plan, root);
  const std::string url = list_url.origin() + list_url.target;
  TpuNodeLists::List& list = lists->by_url[url];
  if (!list.index) {
    ListQuestion question;
    question.service = &tpu_service;
    question.what = "TPU list";
    question.url = list_url;
    question.url.target += "?pageSize=1000";
    question.is_token_allowed = root.is_token_allowed;
    auto script = [question = std::move(question)](Call& inner) { return read_list(inner, question); };
    Result<IndexPointer> read = co_await list.flight.run(call, "TPU list", script, WhenLeft::ends);
    if (!read) co_return about_tpu(plan.name, read.error());
    list.index = *read;
  }
  co_return pick(*list.index, plan, url);
}

}  // namespace rollcall
