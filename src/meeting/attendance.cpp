#include "meeting/attendance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "async/group.hpp"
#include "async/with_background.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "meeting/rules/task_list.hpp"
#include "meeting/run_identity.hpp"

namespace rollcall::meeting {
namespace {

constexpr Duration patience_of_last_word = std::chrono::seconds(1);
constexpr Duration time_of_last_words = std::chrono::seconds(3);
constexpr const char* same_secret = "give all tasks the same --secret-file, or none of them";

std::vector<StageSpan> last_stages(const std::vector<StageSpan>& all) {
  const auto surplus = static_cast<std::ptrdiff_t>(all.size() - std::min(all.size(), max_stages));
  return {all.begin() + surplus, all.end()};
}

}  // namespace

BarrierAbsence absence_of(const MissingTask& missing) {
  BarrierAbsence absence(missing.task, missing.why);
  absence.stage = missing.stage;
  absence.time = missing.time;
  absence.others = missing.others;
  return absence;
}

Attendance::Attendance(Runtime::Impl& runtime, const std::vector<MeetingTask>& tasks, std::size_t own, const BarrierOptions& options,
                       Listen listen, std::shared_ptr<MemberGuard> guard, const std::shared_ptr<RemoteServers>& service)
    : runtime_(runtime), tasks_(tasks), own_(own), options_(options), listen_(std::move(listen)), guard_(std::move(guard)),
      is_at_service_(service != nullptr), stages_(last_stages(options.stages())), run_(name_of_run("barrier", tasks, options.run())),
      incarnation_(new_incarnation(runtime)), generation_(std::clamp<std::int64_t>(options.generation(), 1, max_generation)) {
  for (std::size_t server = 0; service && server < service->count(); ++server) keepers_.emplace_back(RollServer(service, server));
  if (service) return;
  const auto caller = std::make_shared<MemberCaller>(guard_->key(), incarnation_);
  for (const std::size_t task : gatherers_of(tasks)) {
    keepers_.emplace_back(RollServer(caller, task, tasks[task].name, meeting_point(task)));
    keepers_.back().is_own = task == own_;
  }
}

Endpoint Attendance::meeting_point(std::size_t task) const {
  Endpoint point = tasks_[task].address;
  if (options_.port() != 0) point.port = options_.port();
  return point;
}

Result<void> Attendance::open() {
  if (is_at_service_) {
    Result<std::string> list = write_task_list(tasks_);
    if (!list) return list.error();
    task_list_ = std::move(*list);
    return {};
  }
  const bool keeps_roll = std::any_of(keepers_.begin(), keepers_.end(), [](const Keeper& keeper) { return keeper.is_own; });
  if (!keeps_roll) return {};
  std::vector<MeetingTask> looked_for = tasks_;  // at the port that is open for the barrier
  for (std::size_t i = 0; i < looked_for.size(); ++i) looked_for[i].address = meeting_point(i);
  gatherer_ = std::make_shared<Gatherer>(runtime_.shared_from_this(), std::move(looked_for), own_, run_, guard_);
  Result<std::shared_ptr<void>> listening = listen_(gatherer_->handler(), gatherer_->bodies(), meeting_point(own_));
  if (!listening) return listening.error();
  listening_ = std::move(*listening);
  return {};
}

asio::awaitable<Result<BarrierRelease>> Attendance::attend(Call& call) {
  const Result<void> opened = open();
  if (!opened) {
    // The others hear why, so that they do not wait for this one.
    left_why_ = opened.error().what();
    co_await say_last_to_all(call, Stage::left);
    co_return opened.error();
  }
  // The last words to those who keep the roll come before the end of the call.
  const Duration last_words =
      std::min<Duration>(patience_of_last_word + std::chrono::milliseconds(500), (call.deadline() - call.started()) / 2);
  const SteadyTime until = call.deadline() - last_words;
  const Result<Outcome> outcome = co_await with_background<Outcome>(ask_all(call), wait_for_end(until));
  if (!outcome) co_return outcome.error();
  const Failure too_late = failure();
  state_of(call).unfinished = too_late.what();  // the last words may take until the deadline
  co_await say_last_to_all(call, is_released_ ? Stage::started : Stage::left);
  // A task that gives up is released all the same if it was so meanwhile: the others start.
  if (!is_released_) co_return too_late;
  // Usually at once. A task whose answer was lost asks again, and must find someone.
  if (gatherer_) co_await gatherer_->wait_until_started(answer_pause(tasks_.size()) + std::chrono::seconds(9));
  BarrierRelease release;
  release.generation = generation_;
  co_return release;
}

asio::awaitable<Result<Attendance::Outcome>> Attendance::wait_for_end(SteadyTime until) {
  while (!is_released_ && runtime_.time->now() < until) {
    const bool is_awake = co_await over_.wait_until(*runtime_.timers, until);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled at the barrier");
  }
  co_return is_released_ ? Outcome::released : Outcome::too_late;
}

asio::awaitable<Result<void>> Attendance::ask_all(Call& call) {
  std::vector<asio::awaitable<Result<void>>> children;
  for (std::size_t i = 0; i < keepers_.size(); ++i) children.push_back(keep_asking(call, i));
  if (gatherer_) children.push_back(gatherer_->look_for_missing(call));
  co_return co_await join(std::move(children));
}

// Until cancelled, or until another process is here as this task.
asio::awaitable<Result<void>> Attendance::keep_asking(Call& call, std::size_t keeper) {
  constexpr Duration shortest_pause = std::chrono::milliseconds(100);
  const Duration max_remnant = answer_pause(tasks_.size()) + std::chrono::seconds(10);
  std::optional<SteadyTime> taken_since;
  ExponentialBackoff backoff(shortest_pause, std::chrono::seconds(2));
  Keeper& kept = keepers_[keeper];
  for (;;) {
    const SteadyTime asked_at = runtime_.time->now();
    const std::int64_t call_before = kept.answer ? kept.answer->call : 0;
    const bool is_first = kept.sequence == 0;
    const bool was_kept = kept.answer.has_value();
    const Result<RollAnswer> answer = co_await ask(call, kept, Stage::barrier);
    if (!answer && answer.error().code() == Errc::cancelled) co_return answer.error();
    const bool is_past =
        !answer && (answer.error().code() == Errc::not_ready || (was_kept && answer.error().code() == Errc::failed_precondition));
    if (ends_with_keeper_ && is_past) co_return answer.error();
    const bool is_taken = !answer && answer.error().code() == Errc::conflict;
    if (!is_taken) taken_since.reset();
    if (is_taken && !taken_since) taken_since = asked_at;
    // A process that was killed a moment ago is here until it is silent for too long, or until the tasks that were released with it have
    // ended their meeting.
    if (is_taken && asked_at - *taken_since > max_remnant) co_return answer.error();
    show();
    Duration pause{};
    if (!answer) {
      pause = with_jitter(backoff.next(), 0.5, 0.5, runtime_.uniform());
    } else {
      backoff.reset();
      if (answer->is_released()) co_return Result<void>();
      // One that answers at once, again and again, without news is asked no faster.
      const bool is_hasty = answer->call == call_before && !is_first && runtime_.time->now() - asked_at < shortest_pause;
      if (is_hasty) pause = shortest_pause;
    }
    if (pause <= Duration::zero()) continue;
    const bool is_awake = co_await sleep_until(*runtime_.timers, saturating_sum(runtime_.time->now(), pause));
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two hellos");
  }
}

asio::awaitable<Result<RollAnswer>> Attendance::ask(Call& call, Keeper& keeper, Stage stage) {
  Hello hello;
  hello.incarnation = incarnation_;
  hello.sequence = ++keeper.sequence;
  hello.call = keeper.answer ? keeper.answer->call : 0;
  hello.stage = stage;
  hello.generation = generation_;
  hello.tasks = task_list_;
  if (stage == Stage::left) hello.why = left_why_;
  // With the first hello, and the first to one that was started again.
  if (stage == Stage::barrier && !keeper.answer) hello.stages = stages_;
  std::optional<Result<RollAnswer>> answer;
  if (gatherer_ && keeper.is_own) {
    const std::optional<RollAnswer> own = co_await gatherer_->hear_own(hello);
    if (own) {
      answer.emplace(*own);
    } else {
      answer.emplace(taken("another process"));
    }
  } else {
    const Duration patience = stage == Stage::barrier ? answer_pause(tasks_.size()) + std::chrono::seconds(2) : patience_of_last_word;
    Result<RollAnswer> there = co_await keeper.server.ask(call, path_of_hello(run_, own_), hello, patience);
    if (!there && there.error().code() == Errc::conflict) {
      answer.emplace(taken(there.error().message()));
    } else {
      answer.emplace(std::move(there));
    }
  }
  if (!*answer) {
    keeper.trouble = answer->error().what();
    keeper.has_other_secret = answer->error().code() == Errc::unauthenticated;
    // A gatherer that was started again counts its calls from another number.
    if (answer->error().code() != Errc::cancelled) keeper.answer.reset();
    co_return answer->error();
  }
  keeper.trouble.clear();
  keeper.answer = **answer;
  keeper.answered_at = runtime_.time->now();
  if ((*answer)->is_released()) {
    if (!std::exchange(is_released_, true)) generation_ = (*answer)->generation;
    over_.wake();
  }
  co_return std::move(**answer);
}

asio::awaitable<Result<void>> Attendance::say_last(Call& call, std::size_t keeper, Stage stage) {
  const SteadyTime until = saturating_sum(runtime_.time->now(), stage == Stage::started ? time_of_last_words : patience_of_last_word);
  for (;;) {
    const Result<RollAnswer> answer = co_await ask(call, keepers_[keeper], stage);
    // Only silence is asked again. Where nothing listens, that task has started, or has ended.
    const bool is_silent = !answer && (answer.error().code() == Errc::response_timeout || answer.error().code() == Errc::connect_timeout);
    if (!is_silent || runtime_.time->now() >= until) co_return Result<void>();
  }
}

asio::awaitable<void> Attendance::say_last_to_all(Call& call, Stage stage) {
  std::vector<asio::awaitable<Result<void>>> children;
  for (std::size_t i = 0; i < keepers_.size(); ++i) children.push_back(say_last(call, i, stage));
  const std::vector<Result<void>> said = co_await gather(std::move(children));
  static_cast<void>(said);
}

BarrierProgress Attendance::progress() const {
  BarrierProgress progress;
  progress.tasks = static_cast<int>(tasks_.size());
  std::string troubles;
  for (const Keeper& keeper : keepers_) {
    if (keeper.answer) {
      progress.here = static_cast<int>(keeper.answer->here);
      for (const MissingTask& missing : keeper.answer->missing) progress.missing.push_back(absence_of(missing));
      return progress;
    }
    if (!keeper.trouble.empty()) troubles += (troubles.empty() ? "" : "; ") + keeper.trouble;
  }
  progress.trouble = std::move(troubles);
  return progress;
}

Failure Attendance::failure() const {
  const BarrierProgress last = progress();
  if (!last.trouble.empty() && is_at_service_)
    return Failure(Errc::deadline_exceeded, fmt::format("the service that keeps the roll of the barrier cannot be asked: {}", last.trouble))
        .with_hint("look after the service of ROLLCALL_SERVER, or meet at the tasks themselves: --barrier-port");
  const bool is_secret = std::any_of(keepers_.begin(), keepers_.end(), [](const Keeper& keeper) { return keeper.has_other_secret; });
  if (!last.trouble.empty())
    return Failure(Errc::deadline_exceeded, fmt::format("no task that keeps the roll of the barrier could be asked: {}", last.trouble))
        .with_hint(is_secret ? same_secret : "start those tasks, and let firewalls pass TCP to their ports");
  return Failure(Errc::deadline_exceeded, fmt::format("not all tasks have come to the barrier: {}", last.line()))
      .with_hint(is_secret ? same_secret : "start the tasks that are missing, or look there for the reason");
}

void Attendance::show() {
  constexpr Duration between_same_news = std::chrono::seconds(30);
  const BarrierProgress now = progress();
  BarrierProgress known = now.without_times();
  const bool has_times = known != now;
  const bool is_old = has_times && runtime_.time->now() - shown_at_ >= between_same_news;
  if (shown_ && *shown_ == known && !is_old) return;
  if (options_.on_progress()) options_.on_progress()(now);
  shown_ = std::move(known);
  shown_at_ = runtime_.time->now();
}

Failure Attendance::taken(std::string_view by) const {
  return Failure(Errc::conflict, fmt::format("another process is at the barrier as {}: from {}", tasks_[own_].name, by))
      .with_hint("start one process for each task, and give each its own --task");
}

}  // namespace rollcall::meeting
