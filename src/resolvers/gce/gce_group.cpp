// Lists the members of an instance group (instanceGroups.listInstances).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "call/runtime_impl.hpp"
#include "google/list_pages.hpp"
#include "resolvers/gce/gce_api.hpp"
#include "resolvers/gce/rules/compute_service.hpp"

namespace rollcall {
namespace {

// Sorted by name, as upstream does. It also keeps pages disjoint when members come and go.
ListQuestion member_question(const GcePlan& plan, const GceOptions& options, GceMembers which) {
  const bool is_regional = !plan.region.empty();
  std::string path = fmt::format("{}/{}/instanceGroups/{}/listInstances?orderBy=name&maxResults=500", is_regional ? "regions" : "zones",
                                 is_regional ? plan.region : plan.zone, plan.group);
  if (options.allow_partial()) path += "&returnPartialSuccess=true";
  path += "&fields=items(instance,status,namedPorts),nextPageToken,warning&prettyPrint=false";
  ListQuestion question;
  question.what = plan.who();
  question.url = plan.url(path);
  question.service = &compute_service;
  question.body = which == GceMembers::running ? R"({"instanceState":"RUNNING"})" : R"({"instanceState":"ALL"})";
  return question;
}

}  // namespace

asio::awaitable<Result<std::vector<InstanceGroupMember>>> list_members(Call& call, const GcePlan& plan, const GceOptions& options,
                                                                       GceMembers which) {
  const std::size_t max = impl_of(call).limits.max_endpoints;
  const ListQuestion question = member_question(plan, options, which);
  const std::string asked = question.url.without_query();
  std::vector<InstanceGroupMember> members;
  MemoryShare memory(impl_of(call).memory);
  ListPages<InstanceGroupParser> pages(call, question);
  for (;;) {
    const Result<InstanceGroupParser*> read = co_await pages.next();
    if (!read) co_return read.error();
    if (!*read) co_return members;
    InstanceGroupPage& page = (*read)->page();
    const Result<void> complete = judge_warning(call, plan, options, page.warning, asked);
    if (!complete) co_return complete.error();
    if (members.size() + page.members.size() > max) {
      Failure failure(Errc::limit_exceeded, fmt::format("{} has more than {} members", plan.who(), max));
      co_return failure.with_target(asked);
    }
    std::move(page.members.begin(), page.members.end(), std::back_inserter(members));
    memory.add(std::move((*read)->memory()));
  }
}

Failure gce_failure(std::string_view who, Failure failure, const std::string& asked) {
  if (!failure.what().starts_with(who)) failure.with_what(fmt::format("{}: {}", who, failure.what()));
  failure.with_target(asked);
  return failure;
}

Result<void> judge_warning(Call& call, const GcePlan& plan, const GceOptions& options, const ListWarning& warning,
                           const std::string& asked) {
  if (!warning.is_serious()) return Result<void>();
  Failure failure(Errc::unavailable, fmt::format("{}: the list is incomplete: {}", plan.who(), warning.describe()));
  failure.with_target(asked).with_last_status(200).with_hint("Ask again later, or allow partial answers (partial=true).");
  if (!options.allow_partial()) return failure;
  report_missing(call, plan, failure);
  return Result<void>();
}

void report_missing(Call& call, const GcePlan& plan, const Failure& failure) {
  const std::string subject = "gce:" + plan.group;
  impl_of(call).emit({.kind = EventKind::omitted, .call = call.id(), .subject = subject, .failure = &failure});
}

}  // namespace rollcall
