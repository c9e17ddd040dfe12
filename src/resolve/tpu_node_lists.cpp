#include "resolve/tpu_node_lists.hpp"

#include <fmt/format.h>

#include "async/runtime_impl.hpp"
#include "core/page_cursor.hpp"
#include "core/text.hpp"
#include "core/url.hpp"
#include "parse/tpu_node_list.hpp"
#include "resolve/parser_sink.hpp"
#include "resolve/tpu_spec.hpp"

namespace rollcall {
namespace {

using IndexPointer = std::shared_ptr<const TpuNodeIndex>;

void add_page(TpuNodeListParser& page, TpuNodeIndex& index) {
  for (TpuNode& node : page.take_nodes()) {
    std::string id = node.id;
    index.nodes.insert_or_assign(std::move(id), std::move(node));
  }
  for (TpuNodeListParser::Fault& fault : page.take_faults()) {
    if (!fault.id.empty()) index.faults.insert_or_assign(std::move(fault.id), std::move(fault.problem));
  }
  for (const std::string& place : page.unreachable()) index.unreachable.push_back(place);
}

asio::awaitable<Result<IndexPointer>> read_list(Call& call, std::string list_url, bool is_token_allowed) {
  const Limits& limits = call.impl().limits;
  auto index = std::make_shared<TpuNodeIndex>();
  PageCursor pages("TPU list", limits.max_pages);
  for (;;) {
    const std::string& token = pages.token();
    Result<Url> url =
        Url::parse(fmt::format("{}?pageSize=1000{}{}", list_url, token.empty() ? "" : "&pageToken=", percent_encode_path_segment(token)));
    if (!url) co_return url.error();
    ApiRequest request{HttpRequest(std::move(*url))};
    request.service = Service::tpu;
    request.with_token = true;
    request.is_token_allowed = is_token_allowed;
    request.what = "TPU list";
    ParserSink<TpuNodeListParser> sink(parse_limits(limits));
    Result<HttpResponse> response = co_await api_stream(call, request, sink, limits.max_stream_bytes);
    if (!response) co_return response.error();
    const Result<void> complete = sink.parser().finish();
    if (!complete) {
      Failure failure = complete.error();
      failure.with_what("TPU list: " + failure.what());
      failure.with_target(request.http.url.without_query());
      co_return failure;
    }
    add_page(sink.parser(), *index);
    const Result<bool> has_more = pages.advance(sink.parser().next_page_token());
    if (!has_more) co_return has_more.error().with_target(request.http.url.without_query());
    if (!*has_more) co_return IndexPointer(std::move(index));
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

asio::awaitable<Result<TpuNode>> look_up_in_list(Call& call, const TpuPlan& plan, const TpuApiRoot& root) {
  if (!call.shared()) call.shared() = std::make_shared<Call::Shared>();
  const std::shared_ptr<Call::Shared> shared = call.shared();
  const Url list_url = nodes_url(plan, root);
  const std::string url = list_url.origin() + list_url.target;
  Call::Shared::List& list = shared->lists[url];
  if (!list.index) {
    auto script = [url, allowed = root.is_token_allowed](Call& inner) { return read_list(inner, url, allowed); };
    Result<IndexPointer> read = co_await list.flight.run(call.impl().shared_from_this(), options_within(call), "TPU list", script);
    if (!read) co_return about_tpu(plan.name, read.error());
    list.index = *read;
  }
  co_return pick(*list.index, plan, url);
}

}  // namespace rollcall
