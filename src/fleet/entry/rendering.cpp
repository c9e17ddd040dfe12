#include "fleet/entry/rendering.hpp"

#include <fmt/format.h>

#include <utility>

#include "async/turns.hpp"
#include "base/append_formatted.hpp"
#include "base/ip.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "call/rules/classify_status.hpp"
#include "fleet/topic_state.hpp"
#include "json/json_text.hpp"
#include "readiness/follow.hpp"
#include "readiness/wait_judge.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_missing_bytes = 2000;

// A key of the host that is the same for every spelling of its address.
std::string host_key(std::string_view address) {
  const Result<Endpoint> endpoint = Endpoint::parse(address);
  if (!endpoint) return {};
  const HostIdentity host(endpoint->host);
  return host.ip ? std::string(host.ip->begin(), host.ip->end()) : host.name;
}

std::string history_body(const std::deque<PhaseChange>& changes) {
  std::string out = "{\"history\":[";
  for (const PhaseChange& change : changes) {
    out += out.back() == '[' ? "{" : ",{";
    append_json_field(out, "time", format_rfc3339(change.when));
    append_json_field(out, "phase", to_string(change.phase));
    append_json_field(out, "state", change.state);
    append_formatted(out, ",\"ready\":{},\"total\":{}}}", change.ready, change.total);
  }
  return out + "]}";
}

bool is_same_answer(const Rendering& a, const Rendering& b, View view) {
  if (a.has_content != b.has_content || (a.failure == nullptr) != (b.failure == nullptr)) return false;
  if (a.failure) return is_same_failure(*a.failure, *b.failure);
  switch (view) {
    case View::status: return a.status == b.status || (a.status && b.status && a.status->members.empty() && *a.status == *b.status);
    case View::spec:
      return generation_of_spec(a.known) == generation_of_spec(b.known) &&
             (a.known.spec == b.known.spec || (a.known.spec && b.known.spec && is_same_spec(*a.known.spec, *b.known.spec)));
    case View::progress: return a.progress == b.progress;
    case View::task: return a.progress == b.progress && (a.tasks == b.tasks || (a.tasks && b.tasks && a.tasks->spec() == b.tasks->spec()));
    case View::history: return a.history == b.history;
  }
  return false;
}

// For view=spec: takes the cluster's spec, or the failure instead of it.
void take_spec(Rendering& rendering, const FleetQuestion& question) {
  if (!rendering.known.spec) return;
  const Result<ClusterSpec>& spec = *rendering.known.spec;
  if (spec) {
    rendering.has_content = true;
    return;
  }
  const Failure failure = spec.error();
  const bool is_awaited = failure.code() == Errc::not_found && question.awaits_existence;
  if (!is_awaited && !is_transient(failure.code())) rendering.failure = std::make_shared<const Failure>(failure);
}

}  // namespace

asio::awaitable<std::shared_ptr<const TaskIndex>> TaskIndex::make(std::shared_ptr<const ClusterStatus> status) {
  const auto index = std::make_shared<TaskIndex>();
  index->places_.reserve(status->members.size());
  for (std::size_t i = 0; i < status->members.size(); ++i) {
    const Member& member = status->members[i];
    Place place;
    place.job = member.job;
    place.index = member.index;
    place.address = member.address;
    std::string key = host_key(member.address);
    if (!key.empty()) index->places_.emplace(std::move(key), place);
    if ((i + 1) % steps_a_turn == 0) co_await next_turn();
  }
  index->spec_ = status->spec();
  index->status_ = std::move(status);
  co_return index;
}

std::string TaskIndex::own_task(std::string_view self) const {
  ClusterSpec like;
  const auto [from, to] = places_.equal_range(host_key(self));
  std::map<std::string_view, ClusterSpec::Tasks> jobs;
  // A host may have thousands of tasks. Two that match are enough to know that the address is ambiguous.
  const Result<Endpoint> client = Endpoint::parse(self);
  const std::string port = client && client->port ? fmt::format(":{}", *client->port) : std::string();
  std::size_t found = 0;
  for (auto at = from; at != to && found < 2; ++at) {
    if (!at->second.address.ends_with(port)) continue;
    found += jobs[at->second.job].emplace(at->second.index, std::string(at->second.address)).second ? 1 : 0;
  }
  for (auto& [job, tasks] : jobs) static_cast<void>(like.set_job(std::string(job), std::move(tasks)));
  return render_own_task(like, self);
}

asio::awaitable<ProgressDocument> judge_progress(const Known& known, const FleetQuestion& question, std::string subject,
                                                 std::shared_ptr<const Failure>& lost) {
  const ClusterStatus& status = *known.status;
  const WaitOptions options = WaitOptions().members(question.members);
  const ProbeAnswers no_server_is_asked;
  WaitJudge judge(status, question.until, options, no_server_is_asked, std::move(subject));
  while (judge.poll(steps_a_turn)) co_await next_turn();
  WaitVerdict verdict = judge.take_verdict();
  ProgressDocument progress;
  progress.generation = known.generation;
  progress.phase = status.phase;
  progress.state = status.state.text;
  progress.is_ready = verdict.is_ready;
  progress.ready = verdict.ready;
  progress.total = verdict.total;
  progress.trouble = known.trouble;
  if (verdict.lost) lost = std::make_shared<const Failure>(std::move(*verdict.lost));
  WaitProgress words;
  words.missing = std::move(verdict.missing);
  progress.missing = printable(words.missing_text(), max_missing_bytes);
  co_await discard_in_turns(std::move(words.missing));
  co_return progress;
}

asio::awaitable<std::shared_ptr<Rendering>> render_view(const Topic& topic, const FleetQuestion& question,
                                                        std::shared_ptr<const Rendering> before) {
  const auto rendering = std::make_shared<Rendering>();
  rendering->known = topic.known();
  Known& known = rendering->known;
  std::shared_ptr<const ClusterStatus> status = known.status;
  if (known.failure) {
    const bool is_awaited = known.failure->code() == Errc::not_found && question.awaits_existence;
    if (is_awaited) status = std::make_shared<const ClusterStatus>(not_there_yet(*known.failure));
    const bool has_history = question.view == View::history && !topic.history().empty();
    if (!is_awaited && !has_history) rendering->failure = known.failure;
  }
  if (question.view == View::history) {
    rendering->history = history_body(topic.history());
    rendering->has_content = known.revision != 0;
  } else if (!rendering->failure && question.view == View::spec) {
    take_spec(*rendering, question);
  } else if (!rendering->failure && status) {
    rendering->has_content = true;
    rendering->status = status;
    if (question.view != View::status) {
      std::string subject = topic.target();
      Known judged = known;
      judged.status = status;
      rendering->progress = co_await judge_progress(judged, question, std::move(subject), rendering->failure);
    }
    const bool shows_tasks = question.view == View::task && rendering->progress.is_ready;
    if (shows_tasks && before && before->tasks && before->known.status == known.status) {
      rendering->tasks = before->tasks;
    } else if (shows_tasks) {
      rendering->tasks = co_await TaskIndex::make(status);
    }
  }
  rendering->revision = question.view == View::spec ? std::max(known.revision, known.spec_revision) : known.revision;
  const bool is_of_epoch = before && before->known.epoch == known.epoch;
  if (is_of_epoch && is_same_answer(*before, *rendering, question.view)) rendering->revision = before->revision;
  co_return rendering;
}

std::string render_body(const Rendering& rendering, View view, const Position& position, Age age) {
  const std::uint64_t generation = rendering.known.generation;
  switch (view) {
    case View::status: return render_status_body(position, generation, *rendering.status, age);
    case View::spec: return render_spec_body(generation_of_spec(rendering.known), **rendering.known.spec, age);
    case View::progress: return render_progress_body(rendering.progress, age);
    case View::task:
      return rendering.tasks ? render_task_body(rendering.progress, rendering.tasks->spec(), {}, age)
                             : render_progress_body(rendering.progress, age);
    case View::history: return rendering.history;
  }
  return {};
}

}  // namespace rollcall::fleet
