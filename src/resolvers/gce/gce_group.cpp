// instanceGroups.listInstances.
#include <fmt/format.h>

#include <algorithm>

#include "base/page_cursor.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "google/cloud_request.hpp"
#include "resolvers/gce/gce_answer.hpp"
#include "resolvers/gce/gce_api.hpp"

namespace rollcall {
namespace {

// The members that are running. The name order is upstream's wish; it keeps pages apart when members come and go.
ApiRequest listing_request(const GcePlan& plan, const GceOptions& options, const std::string& token) {
  const bool is_regional = !plan.region.empty();
  std::string path = fmt::format("{}/{}/instanceGroups/{}/listInstances?orderBy=name&maxResults=500", is_regional ? "regions" : "zones",
                                 is_regional ? plan.region : plan.zone, plan.group);
  if (options.allow_partial()) path += "&returnPartialSuccess=true";
  path += "&fields=items(instance,status,namedPorts),nextPageToken,warning&prettyPrint=false";
  if (!token.empty()) path += "&pageToken=" + percent_encode_path_segment(token);
  ApiRequest request = cloud_request(Service::compute, plan.url(path), plan.who());
  request.http.method = HttpMethod::post;
  request.http.is_repeatable = true;  // it lists
  request.http.headers.add("Content-Type", "application/json");
  request.http.body = R"({"instanceState":"RUNNING"})";
  return request;
}

}  // namespace

asio::awaitable<Result<std::vector<InstanceGroupMember>>> list_members(Call& call, const GcePlan& plan, const GceOptions& options) {
  const Limits& limits = call.impl().limits;
  std::vector<InstanceGroupMember> members;
  MemoryShare memory(call.impl().memory);
  std::size_t bytes_left = limits.max_stream_bytes;
  PageCursor pages(plan.who(), limits.max_pages);
  for (;;) {
    ApiRequest request = listing_request(plan, options, pages.token());
    const std::string asked = request.http.url.without_query();
    ParserSink<InstanceGroupParser> sink(parse_limits(call.impl()));
    const Result<HttpResponse> response = co_await api_stream(call, request, sink, bytes_left);
    if (!response) co_return response.error();
    bytes_left -= std::min(bytes_left, sink.bytes());
    const Result<void> ended = sink.parser().finish();
    if (!ended) co_return gce_failure(plan.who(), ended.error(), asked);
    InstanceGroupPage& page = sink.parser().page();
    const Result<void> complete = judge_warning(call, plan, options, page.warning, asked);
    if (!complete) co_return complete.error();
    if (members.size() + page.members.size() > limits.max_endpoints) {
      Failure failure(Errc::limit_exceeded, fmt::format("{} has more than {} members", plan.who(), limits.max_endpoints));
      co_return failure.with_target(asked);
    }
    std::move(page.members.begin(), page.members.end(), std::back_inserter(members));
    memory.add(std::move(sink.parser().memory()));
    Result<bool> has_more = pages.advance(page.next_page_token);
    if (!has_more) co_return gce_failure(plan.who(), has_more.error(), asked);
    if (!*has_more) co_return members;
  }
}

}  // namespace rollcall
