// Reads what a scheduler goes by: the PodGroups that pods name, or that are made for a job before its pods; and the sizes of the nodes.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "async/group.hpp"
#include "base/page_cursor.hpp"
#include "base/url.hpp"
#include "call/parser_sink.hpp"
#include "resolvers/kubernetes/chain/chain_reader.hpp"
#include "resolvers/kubernetes/workload/wire/workload.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_groups = 8;
constexpr int absent_group = 404;

}  // namespace

std::set<PodGroupName> ChainReader::named_groups() const {
  std::set<PodGroupName> names(source_.groups.begin(), source_.groups.end());
  for (const StuckPod& pod : facts_.pods) names.insert(pod.groups.begin(), pod.groups.end());
  for (const KubeObject& owner : facts_.owners) {
    if (!owner.api_version.starts_with("batch.volcano.sh/")) continue;
    // The group is there before the pods, which name it [facts: volcano-podgroups].
    names.emplace("scheduling.volcano.sh", fmt::format("{}-{}", owner.name, owner.uid));
    names.emplace("scheduling.volcano.sh", owner.name);
  }
  while (names.size() > max_groups) names.erase(std::prev(names.end()));
  return names;
}

asio::awaitable<Result<void>> ChainReader::read_groups(Call& call) {
  std::vector<Done> questions;
  for (const PodGroupName& name : named_groups()) questions.push_back(read_group(call, name));
  co_return co_await join(std::move(questions));
}

// Nothing is said of a kind that the server does not have, or of a group that is not there: another candidate is.
asio::awaitable<Result<void>> ChainReader::read_group(Call& call, PodGroupName wanted) {
  const Result<std::string> served = co_await get_object(call, source_, "apis/" + wanted.api_group, wanted.api_group);
  if (!served && served.error().last_status() == absent_group) co_return Result<void>();
  if (!served) co_return served.error();
  const Result<std::vector<std::string>> versions = parse_api_versions(*served, parse_limits(impl_of(call)));
  if (!versions) co_return versions.error();
  const std::string namespace_name = namespaces_.empty() ? source_.namespace_name : *namespaces_.begin();
  for (const std::string& version : *versions) {
    std::string path = fmt::format("apis/{}/{}/{}podgroups/{}", wanted.api_group, version, namespace_path(namespace_name),
                                   percent_encode_path_segment(wanted.name));
    const Result<std::string> answer = co_await get_object(call, source_, std::move(path), "pod group " + wanted.name);
    if (!answer && answer.error().last_status() == absent_group) continue;
    if (!answer) co_return answer.error();
    Result<PodGroup> group = parse_pod_group(*answer, parse_limits(impl_of(call)));
    if (!group) co_return group.error();
    facts_.groups.push_back(std::move(*group));
    break;
  }
  co_return Result<void>();
}

// A pod that has no place, and asks for devices.
bool ChainReader::lacks_devices() const {
  return std::any_of(facts_.pods.begin(), facts_.pods.end(), [](const StuckPod& pod) {
    const KubeCondition* const scheduled = find_condition(pod.conditions, "PodScheduled");
    return scheduled && scheduled->is_false() && scheduled->reason == "Unschedulable" && !pod.requests.empty();
  });
}

// A page that is missing may have the largest.
asio::awaitable<Result<void>> ChainReader::read_largest(Call& call) {
  LargestNodes largest;
  PageCursor cursor("nodes", impl_of(call).limits.max_pages);
  for (;;) {
    std::string path = "api/v1/nodes?limit=100";
    if (!cursor.token().empty()) path += "&continue=" + percent_encode_path_segment(cursor.token());
    const Result<std::string> page = co_await get_object(call, source_, std::move(path), "nodes");
    if (!page) co_return page.error();
    const Result<void> added = add_nodes(largest, *page, parse_limits(impl_of(call)));
    if (!added) co_return added.error();
    const Result<bool> goes_on = cursor.advance(largest.next_page);
    if (!goes_on) co_return goes_on.error();
    if (!*goes_on) break;
  }
  facts_.largest = std::move(largest);
  co_return Result<void>();
}

}  // namespace rollcall
