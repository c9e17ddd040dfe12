#include "resolvers/kubernetes/chain/chain_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "async/group.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/parser_sink.hpp"
#include "resolvers/kubernetes/chain/wire/object_parts.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_samples = 8;
constexpr std::size_t max_namespaces = 4;
constexpr std::size_t max_hosts = 256;
constexpr std::size_t max_owner_levels = 6;

bool is_ready_now(const Member& member) { return member.state.level == MemberState::ready && member.health.level == MemberState::ready; }

// A member's name is `namespace/name`.
std::pair<std::string, std::string> pod_name_of(const Member& member) {
  const std::size_t slash = member.name.find('/');
  if (slash == std::string::npos) return {std::string(), member.name};
  return {member.name.substr(0, slash), member.name.substr(slash + 1)};
}

std::vector<KubeObject> roots_of(const ChainSource& source) {
  std::vector<KubeObject> roots = source.roots;
  if (!source.made_by) return roots;
  for (KubeObject& made : source.made_by()) {
    const bool is_known = std::any_of(roots.begin(), roots.end(), [&made](const KubeObject& one) {
      return one.kind == made.kind && one.name == made.name && one.namespace_name == made.namespace_name;
    });
    if (!is_known) roots.push_back(std::move(made));
  }
  return roots;
}

// The path of an object's kind, whose plural is regular for all kinds that own pods.
std::string object_path(std::string_view api_version, std::string_view kind, std::string_view namespace_name, std::string_view name) {
  const std::string root = api_version.find('/') == std::string_view::npos ? "api/" : "apis/";
  std::string version;
  for (const std::string_view part : split(api_version, '/')) version += percent_encode_path_segment(part) + "/";
  return root + version + namespace_path(namespace_name) + percent_encode_path_segment(to_lower(kind) + "s") + "/" +
         percent_encode_path_segment(name);
}

}  // namespace

ChainReader::ChainReader(Call& call, const ChainSource& source, const ClusterStatus& status)
    : call_(call), source_(source), status_(status) {
  facts_.at = impl_of(call).time->wall_now();
  choose();
}

void ChainReader::choose() {
  is_missing_ = status_.members.empty() || status_.expected > static_cast<int>(status_.members.size());
  is_all_ready_ = !is_missing_ && status_.state.level == MemberState::ready;
  std::set<std::string> kinds;  // of trouble, by what the members say: one member of each first
  std::vector<const Member*> others;
  for (const Member& member : status_.members) {
    if (!member.host.empty() && hosts_.size() < max_hosts) hosts_.insert(member.host);
    if (is_ready_now(member)) continue;
    is_all_ready_ = false;
    const bool has_place = !member.host.empty();
    is_waiting_for_place_ = is_waiting_for_place_ || !has_place;
    is_starting_ = is_starting_ || (has_place && member.state.level != MemberState::ready);
    uids_.insert(member.uid);
    const std::pair<std::string, std::string> pod = pod_name_of(member);
    if (namespaces_.size() < max_namespaces) namespaces_.insert(pod.first);
    const std::string said = member.causes.empty() ? member.state.text : member.causes.front().text;
    if (kinds.size() < max_samples && kinds.insert(member.job + "\n" + said).second) {
      samples_.push_back(&member);
    } else if (others.size() < max_samples) {
      others.push_back(&member);
    }
  }
  for (const Member* const other : others) {
    if (samples_.size() < max_samples) samples_.push_back(other);
  }
  uids_.erase(std::string());
  // The pods that exist lead to what should make the others.
  if (is_missing_ && samples_.empty() && !status_.members.empty()) samples_.push_back(&status_.members.front());
  if (!samples_.empty()) namespaces_.insert(pod_name_of(*samples_.front()).first);
  namespaces_.erase(std::string());
  if (namespaces_.empty() && !source_.namespace_name.empty()) namespaces_.insert(source_.namespace_name);
}

std::string ChainReader::in_namespaces() const {
  return namespaces_.size() == 1 ? fmt::format("in namespace {}", *namespaces_.begin())
                                 : fmt::format("in the namespaces {}", fmt::join(namespaces_, ", "));
}

asio::awaitable<Result<ChainFacts>> ChainReader::read() {
  if (!is_all_ready_) {
    if (!samples_.empty()) {
      const Result<void> pods =
          co_await run_layer(ChainLayer("details of the pods", "get pods " + in_namespaces()), &ChainReader::read_pods);
      if (!pods) co_return pods.error();
    }
    const Result<void> owners = co_await run_layer(
        ChainLayer("owners of the pods", "get jobs, statefulsets and what owns them " + in_namespaces()), &ChainReader::read_owners);
    if (!owners) co_return owners.error();
  }
  std::vector<Done> layers;
  if (!hosts_.empty()) layers.push_back(run_layer(ChainLayer("nodes", "get nodes, in the whole cluster"), &ChainReader::read_nodes));
  if (!is_all_ready_) {
    layers.push_back(run_layer(ChainLayer("events", "list events " + in_namespaces()), &ChainReader::read_events));
    if (!facts_.owners.empty()) {
      layers.push_back(
          run_layer(ChainLayer("Kueue's workloads", "list workloads.kueue.x-k8s.io " + in_namespaces()), &ChainReader::read_queue));
    }
    if (source_.ask_stages && is_missing_) {
      layers.push_back(run_layer(ChainLayer("pods of earlier stages", "list pods " + in_namespaces()), &ChainReader::read_stages));
    }
    if (lacks_devices()) {
      layers.push_back(run_layer(ChainLayer("sizes of the nodes", "list nodes, in the whole cluster"), &ChainReader::read_largest));
    }
    if (!named_groups().empty()) {
      layers.push_back(run_layer(ChainLayer("pod groups", "get podgroups " + in_namespaces()), &ChainReader::read_groups));
    }
    if (is_missing_) layers.push_back(run_layer(ChainLayer("quotas", "list resourcequotas " + in_namespaces()), &ChainReader::read_quotas));
    if (!claims_.empty()) {
      layers.push_back(run_layer(ChainLayer("volume claims", "get persistentvolumeclaims " + in_namespaces()), &ChainReader::read_claims));
    }
  }
  if (!layers.empty()) {
    const Result<void> asked = co_await join(std::move(layers));
    if (!asked) co_return asked.error();
  }
  if (is_missing_ && facts_.has_events) {
    const Result<void> creators =
        co_await run_layer(ChainLayer("owners of what failed to create pods", "get jobs and statefulsets " + in_namespaces()),
                           &ChainReader::read_failed_creators);
    if (!creators) co_return creators.error();
  }
  co_return std::move(facts_);
}

// A failure is noted; only a cancellation of the whole question ends it.
asio::awaitable<Result<void>> ChainReader::run_layer(ChainLayer layer, Done (ChainReader::*script)(Call&)) {
  std::function<Done(Call&)> bound_script = [this, script](Call& inner) { return (this->*script)(inner); };
  const Result<void> done = co_await in_layer_time(call_, layer.name, std::move(bound_script));
  if (done) co_return Result<void>();
  const Failure failure = done.error();
  if (failure.code() == Errc::cancelled) co_return failure;
  facts_.unread.push_back(unread_note(layer, failure));
  co_return Result<void>();
}

asio::awaitable<Result<void>> ChainReader::read_pods(Call& call) {
  std::vector<asio::awaitable<Result<std::string>>> questions;
  for (const Member* const member : samples_) {
    const auto [namespace_name, name] = pod_name_of(*member);
    std::string path = "api/v1/" + namespace_path(namespace_name) + "pods/" + percent_encode_path_segment(name);
    questions.push_back(get_object(call, source_, std::move(path), "pod " + name));
  }
  const std::vector<Result<std::string>> answers = co_await gather(std::move(questions));
  std::optional<Failure> refused;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Result<std::string>& answer = answers[i];
    if (!answer) {
      if (answer.error().last_status() != 404) refused = answer.error();  // a pod that is gone since is no failure
      continue;
    }
    Result<StuckPod> pod = parse_stuck_pod(*answer, parse_limits(impl_of(call)));
    if (!pod) co_return pod.error();
    pod->object.kind = "Pod";
    pod->job = samples_[i]->job;
    for (const std::string& claim : pod->claims) claims_.emplace(pod->object.namespace_name, claim);
    facts_.pods.push_back(std::move(*pod));
  }
  if (facts_.pods.empty() && refused) co_return std::move(*refused);
  co_return Result<void>();
}

asio::awaitable<Result<void>> ChainReader::read_stages(Call& call) {
  Result<std::vector<Cause>> causes = co_await source_.ask_stages(call);
  if (!causes) co_return causes.error();
  facts_.stage_causes = std::move(*causes);
  co_return Result<void>();
}

bool ChainReader::knows(const KubeObject& object) const {
  return std::any_of(facts_.owners.begin(), facts_.owners.end(), [&object](const KubeObject& one) { return one.uid == object.uid; });
}

// Its controller; a uid that differs belongs to an object of the same name that was made later.
asio::awaitable<Result<KubeObject>> ChainReader::read_owner_of(Call& call, const KubeObject& object) {
  std::string path = object_path(object.owner_api_version, object.owner_kind, object.namespace_name, object.owner_name);
  const Result<std::string> answer = co_await get_object(call, source_, std::move(path), object.owner_kind + " " + object.owner_name);
  if (!answer) co_return answer.error();
  Result<KubeObject> owner = parse_object(*answer, parse_limits(impl_of(call)));
  if (!owner) co_return owner.error();
  if (owner->uid != object.owner_uid) {
    co_return Failure(Errc::not_found,
                      fmt::format("{} {} is another object than the owner of {}", object.owner_kind, object.owner_name, object.label()));
  }
  if (owner->kind.empty()) owner->kind = object.owner_kind;
  if (owner->api_version.empty()) owner->api_version = object.owner_api_version;
  co_return owner;
}

// Those that exist. One that does not is the reason why there are no pods.
asio::awaitable<Result<std::vector<KubeObject>>> ChainReader::read_roots(Call& call) {
  std::vector<KubeObject> found;
  const std::vector<KubeObject> wanted = roots_of(source_);
  for (const KubeObject& root : wanted) {
    std::string path = object_path(root.api_version, root.kind, root.namespace_name, root.name);
    const Result<std::string> answer = co_await get_object(call, source_, std::move(path), root.label());
    if (!answer && answer.error().last_status() == 404) {
      if (status_.members.empty()) facts_.absent_roots.push_back(root);
      continue;
    }
    if (!answer) co_return answer.error();
    Result<KubeObject> object = parse_object(*answer, parse_limits(impl_of(call)));
    if (!object) co_return object.error();
    if (object->kind.empty()) object->kind = root.kind;
    if (!object->uid.empty()) found.push_back(std::move(*object));
  }
  co_return found;
}

asio::awaitable<Result<void>> ChainReader::read_owners(Call& call) {
  std::vector<KubeObject> starts;
  for (const StuckPod& pod : facts_.pods) starts.push_back(pod.object);
  std::optional<Failure> stopped;
  const Result<std::vector<KubeObject>> roots = co_await read_roots(call);
  if (!roots) {
    stopped = roots.error();
  } else {
    for (const KubeObject& root : *roots) {
      if (!knows(root)) facts_.owners.push_back(root);
      starts.push_back(root);
    }
  }
  for (KubeObject at : starts) {
    for (std::size_t level = 0; level < max_owner_levels && at.has_owner(); ++level) {
      KubeObject named;
      named.uid = at.owner_uid;
      if (knows(named)) break;
      Result<KubeObject> owner = co_await read_owner_of(call, at);
      if (!owner) {
        // Its own word is all that is known of it: enough to find its events.
        named.api_version = at.owner_api_version;
        named.kind = at.owner_kind;
        named.name = at.owner_name;
        named.namespace_name = at.namespace_name;
        facts_.owners.push_back(std::move(named));
        if (owner.error().code() == Errc::cancelled || owner.error().code() == Errc::deadline_exceeded) co_return owner.error();
        if (!stopped) stopped = owner.error();
        break;
      }
      facts_.owners.push_back(*owner);
      at = std::move(*owner);
    }
  }
  if (stopped && stopped->last_status() != 404) co_return std::move(*stopped);
  co_return Result<void>();
}

}  // namespace rollcall
