// The instance groups of a search.
#include <fmt/format.h>

#include "base/text.hpp"
#include "discover/discover_pages.hpp"
#include "resolvers/gce/rules/compute_service.hpp"
#include "resolvers/gce/rules/gce_rules.hpp"
#include "resolvers/gce/wire/instance_group.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/target.hpp"

namespace rollcall {
namespace {

constexpr std::string_view group_mask = "name,zone,region,size,namedPorts";
constexpr std::uint16_t usual_group_port = default_worker_port;  // a gce: target requires one

ListQuestion group_question(const Discovery& search, const ListTask& task) {
  const bool is_aggregated = task.zone.empty() && task.region.empty();
  const std::string path = is_aggregated ? "aggregated" : task.region.empty() ? "zones/" + task.zone : "regions/" + task.region;
  const std::string items =
      is_aggregated ? fmt::format("items/*/instanceGroups({0}),items/*/warning", group_mask) : fmt::format("items({})", group_mask);
  ListQuestion question;
  question.what = "instance groups of " + task.place();
  question.service = &compute_service;
  question.url = search.compute_root;
  question.url.target += fmt::format(
      "projects/{}/{}/instanceGroups?maxResults=500&returnPartialSuccess=true&prettyPrint=false&fields={},nextPageToken,warning",
      task.project, path, items);
  return question;
}

Found found_group(const InstanceGroup& group, const ListTask& task) {
  Found found;
  found.kind = FoundKind::instance_group;
  found.name = group.name;
  found.project = task.project;
  const bool is_regional = !task.region.empty() || (task.zone.empty() && group.zone.empty());
  found.zone = is_regional ? group.region : group.zone;
  if (found.zone.empty()) found.zone = is_regional ? task.region : task.zone;
  found.members = static_cast<std::size_t>(group.size);
  Target target;
  target.scheme = gce_rules.scheme;
  target.body = group.name;
  const auto add = [&target](std::string key, std::string value) {
    target.options.emplace_back(std::move(key), std::vector<std::string>{std::move(value)});
  };
  add("project", found.project);
  add(is_regional ? "region" : "zone", found.zone);
  if (group.first_named_port.empty()) {
    add("port", std::to_string(usual_group_port));
  } else {
    add("named_port", group.first_named_port);
  }
  found.target = target.to_text();
  return found;
}

class GroupFinds {
 public:
  GroupFinds(const ListQuestion& question, const ListTask& task) : question_(question), task_(task) {}
  std::vector<InstanceGroup> take(auto& parser) const { return std::move(parser.page().groups); }
  Found found(const InstanceGroup& group) const { return found_group(group, task_); }
  std::vector<Failure> problems(auto& parser) const {
    std::vector<Failure> problems;
    for (const ListWarning& warning : parser.page().warnings) {
      problems.emplace_back(Errc::unavailable, fmt::format("{}: the list is incomplete: {}", question_.what, warning.describe()));
      problems.back().with_target(question_.url.without_query()).with_last_status(200).with_hint("ask again later");
    }
    return problems;
  }

 private:
  const ListQuestion& question_;
  const ListTask& task_;
};

}  // namespace

asio::awaitable<Result<void>> list_instance_groups(Call& call, Discovery& search, const ListTask& task) {
  const ListQuestion question = group_question(search, task);
  const GroupFinds finds(question, task);
  if (task.zone.empty() && task.region.empty()) {
    co_return co_await discover_pages<AggregatedGroupsParser>(call, search, task, question, finds);
  }
  co_return co_await discover_pages<InstanceGroupListParser>(call, search, task, question, finds);
}

}  // namespace rollcall
