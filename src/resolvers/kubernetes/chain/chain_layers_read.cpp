// Reads the single layers of a chain: events, nodes, queues, claims, quotas.
#include <fmt/format.h>

#include <algorithm>

#include "async/group.hpp"
#include "base/page_cursor.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/parser_sink.hpp"
#include "resolvers/kubernetes/chain/chain_reader.hpp"

namespace rollcall {
namespace {

constexpr std::size_t nodes_at_a_time = 16;
constexpr std::size_t max_claims = 16;
constexpr std::size_t max_creators = 8;
constexpr int absent = 404;

}  // namespace

// Of the scope's namespaces: all warnings; and of the events about progress only those that a layer needs.
asio::awaitable<Result<void>> ChainReader::read_events(Call& call) {
  facts_.events.set_wanted([this](const KubeEvent& event) { return is_wanted(event); });
  std::vector<std::string> selectors = {"type!=Normal"};
  if (is_starting_) selectors.insert(selectors.end(), {"type=Normal,reason=Pulling", "type=Normal,reason=Pulled"});
  if (is_waiting_for_place_)
    selectors.insert(selectors.end(),
                     {"type=Normal,reason=TriggeredScaleUp", "type=Normal,reason=NotTriggerScaleUp", "type=Normal,reason=Nominated"});
  std::vector<Done> lists;
  for (const std::string& namespace_name : namespaces_) {
    for (const std::string& selector : selectors) lists.push_back(list_events(call, namespace_name, selector));
  }
  const Result<void> read = co_await join(std::move(lists));
  facts_.events.set_wanted(nullptr);
  if (!read) co_return read.error();
  facts_.has_events = true;
  co_return Result<void>();
}

// About pods that are not ready, their owners, their claims; and all failures to create pods, whose reporter may be unknown so far.
bool ChainReader::is_wanted(const KubeEvent& event) const {
  if (uids_.contains(event.uid) || claims_.contains({event.namespace_name, event.name})) return true;
  KubeObject about;
  about.uid = event.uid;
  return knows(about) || (is_missing_ && event.reason.starts_with("FailedCreate"));
}

asio::awaitable<Result<void>> ChainReader::list_events(Call& call, std::string namespace_name, std::string selector) {
  const Limits& limits = impl_of(call).limits;
  const std::string what = "events in namespace " + namespace_name;
  PageCursor cursor(what, limits.max_pages);
  std::size_t bytes_left = limits.max_stream_bytes;
  for (;;) {
    std::string path =
        fmt::format("api/v1/{}events?fieldSelector={}&limit=500", namespace_path(namespace_name), percent_encode_path_segment(selector));
    if (!cursor.token().empty()) path += "&continue=" + percent_encode_path_segment(cursor.token());
    ApiRequest request = chain_request(source_, std::move(path), what);
    ParserSink<EventListParser> sink([this, &call] { return EventListParser(facts_.events, parse_limits(impl_of(call))); });
    const Result<HttpResponse> answer = co_await api_stream(call, request, sink, bytes_left);
    if (!answer) co_return answer.error();
    const Result<void> complete = sink.parser().finish();
    if (!complete) co_return complete.error();
    bytes_left -= std::min(bytes_left, sink.bytes());
    const Result<bool> goes_on = cursor.advance(sink.parser().next_page());
    if (!goes_on) co_return goes_on.error();
    if (!*goes_on) co_return Result<void>();
  }
}

// What failed to create a pod belongs to the cluster if its own controller does: a Job of the JobSet, a StatefulSet of a group's leader.
asio::awaitable<Result<void>> ChainReader::read_failed_creators(Call& call) {
  std::vector<KubeObject> candidates;
  for (const KubeEvent* const event : facts_.events.with("FailedCreate")) {
    KubeObject one;
    one.uid = event->uid;
    one.kind = event->kind;
    one.name = event->name;
    one.namespace_name = event->namespace_name;
    if (!knows(one) && candidates.size() < max_creators) candidates.push_back(std::move(one));
  }
  const std::size_t known = facts_.owners.size();
  if (known == 0) co_return Result<void>();
  for (KubeObject& candidate : candidates) {
    KubeObject reference;  // as if a pod named it
    reference.namespace_name = candidate.namespace_name;
    reference.owner_kind = candidate.kind;
    reference.owner_name = candidate.name;
    reference.owner_uid = candidate.uid;
    reference.owner_api_version = candidate.kind == "Job" ? "batch/v1" : "apps/v1";
    const Result<KubeObject> object = co_await read_owner_of(call, reference);
    if (!object) continue;
    KubeObject owner;
    owner.uid = object->owner_uid;
    const bool is_of_member = std::any_of(status_.members.begin(), status_.members.end(),
                                          [&owner](const Member& member) { return !member.uid.empty() && member.uid == owner.uid; });
    if (object->has_owner() && (knows(owner) || is_of_member)) facts_.owners.insert(facts_.owners.begin(), *object);
  }
  co_return Result<void>();
}

asio::awaitable<Result<void>> ChainReader::read_node(Call& call, std::string name) {
  const Result<std::string> answer =
      co_await get_object(call, source_, "api/v1/nodes/" + percent_encode_path_segment(name), "node " + name);
  if (!answer && answer.error().last_status() == absent) co_return Result<void>();  // a node that is gone takes its pods with it
  if (!answer) co_return answer.error();
  Result<NodeFacts> node = parse_node(*answer, parse_limits(impl_of(call)));
  if (!node) co_return node.error();
  facts_.nodes.emplace(std::move(name), std::move(*node));
  co_return Result<void>();
}

asio::awaitable<Result<void>> ChainReader::read_nodes(Call& call) {
  const std::vector<std::string> names(hosts_.begin(), hosts_.end());
  const Result<void> first = co_await read_node(call, names.front());  // a refusal is the same for all
  if (!first) co_return first.error();
  std::function<Done(std::size_t)> ask = [this, &call, &names](std::size_t i) { return read_node(call, names[i + 1]); };
  co_return co_await join_bounded(names.size() - 1, nodes_at_a_time, std::move(ask), OnFailure::cancel_rest);
}

// Discovery needs no right. Only by it a cluster without Kueue differs from one that does not allow to read its workloads.
asio::awaitable<Result<void>> ChainReader::read_queue(Call& call) {
  const Result<std::string> group = co_await get_object(call, source_, "apis/kueue.x-k8s.io", "Kueue");
  if (!group && group.error().last_status() == absent) {
    facts_.is_kueue_absent = true;
    co_return Result<void>();
  }
  if (!group) co_return group.error();
  const Result<std::string> version = parse_preferred_version(*group, parse_limits(impl_of(call)));
  if (!version) co_return version.error();
  std::vector<std::string> uids;
  for (const KubeObject& owner : facts_.owners) uids.push_back(owner.uid);
  for (const StuckPod& pod : facts_.pods) uids.push_back(pod.object.uid);  // a plain pod has a Workload of its own
  const std::string namespace_name = facts_.owners.front().namespace_name;
  const std::string root = fmt::format("apis/kueue.x-k8s.io/{}/{}", *version, namespace_path(namespace_name));
  const std::string selector = fmt::format("kueue.x-k8s.io/job-uid in ({})", fmt::join(uids, ","));
  const Result<std::string> list =
      co_await get_object(call, source_, root + "workloads?labelSelector=" + percent_encode_path_segment(selector), "Kueue's workloads");
  if (!list) co_return list.error();
  Result<std::vector<QueueWorkload>> workloads = parse_queue_workloads(*list, parse_limits(impl_of(call)));
  if (!workloads) co_return workloads.error();
  facts_.workloads = std::move(*workloads);
  facts_.has_queues = true;
  for (const QueueWorkload& workload : facts_.workloads) {
    if (workload.local_queue.empty() || facts_.queue_faults.size() >= max_claims) continue;
    const Result<std::string> queue =
        co_await get_object(call, source_, root + "localqueues/" + percent_encode_path_segment(workload.local_queue), "the local queue");
    if (!queue) continue;  // it is optional: the Workload's own words name a queue that is not there
    Result<std::optional<KubeCondition>> fault = parse_local_queue_fault(*queue, parse_limits(impl_of(call)));
    if (fault && *fault) facts_.queue_faults.emplace(workload.local_queue, std::move(**fault));
  }
  co_return Result<void>();
}

asio::awaitable<Result<void>> ChainReader::read_claims(Call& call) {
  std::vector<asio::awaitable<Result<std::string>>> questions;
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [namespace_name, name] : claims_) {
    if (names.size() >= max_claims) break;
    names.emplace_back(namespace_name, name);
    std::string path = "api/v1/" + namespace_path(namespace_name) + "persistentvolumeclaims/" + percent_encode_path_segment(name);
    questions.push_back(get_object(call, source_, std::move(path), "claim " + name));
  }
  const std::vector<Result<std::string>> answers = co_await gather(std::move(questions));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i] && answers[i].error().last_status() != absent) co_return answers[i].error();
    VolumeClaim claim;
    if (answers[i]) {
      Result<VolumeClaim> read = parse_volume_claim(*answers[i], parse_limits(impl_of(call)));
      if (!read) co_return read.error();
      claim = std::move(*read);
    } else {
      claim.phase = "not there";
    }
    claim.object.namespace_name = names[i].first;
    claim.object.name = names[i].second;
    facts_.claims.push_back(std::move(claim));
  }
  co_return Result<void>();
}

asio::awaitable<Result<void>> ChainReader::read_quotas(Call& call) {
  for (const std::string& namespace_name : namespaces_) {
    const Result<std::string> list =
        co_await get_object(call, source_, "api/v1/" + namespace_path(namespace_name) + "resourcequotas?limit=100", "quotas");
    if (!list) co_return list.error();
    Result<std::vector<FullQuota>> full = parse_full_quotas(*list, parse_limits(impl_of(call)));
    if (!full) co_return full.error();
    facts_.quotas.insert(facts_.quotas.end(), full->begin(), full->end());
  }
  co_return Result<void>();
}

}  // namespace rollcall
