#include "command/run/kept_program.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <utility>

#include "base/backoff.hpp"
#include "base/duration.hpp"
#include "base/saturating.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"

namespace rollcall::command {
namespace {

constexpr Duration usual_grace = std::chrono::seconds(30);
constexpr int usual_restarts = 3;
// After a failure: how long, and how often, to look for a loss that explains it. Services notice losses later than peers do.
constexpr Duration is_checked_last = std::chrono::seconds(10);
constexpr Duration between_questions = std::chrono::seconds(2);

SteadyTime steady_now() { return std::chrono::steady_clock::now(); }

unsigned seed() {
  unsigned drawn = 1;
  if (::getrandom(&drawn, sizeof drawn, GRND_NONBLOCK) != sizeof drawn)
    drawn = static_cast<unsigned>(steady_now().time_since_epoch().count());
  return drawn;
}

bool says_gone(const Failure& failure) { return failure.code() == Errc::not_found || failure.code() == Errc::not_ready; }

}  // namespace

// State of one run, which lives until the run's coroutine has ended.
class KeptProgram::Run {
 public:
  explicit Run(const asio::any_io_executor& executor) : pause(executor) {}
  std::shared_ptr<MemberNews> news;
  asio::steady_timer pause;
  bool is_over = false;
};

KeptProgram::KeptProgram(const Arguments& arguments, FollowedCluster& cluster, Program& program,
                         std::function<Result<EnvironmentVariables>(const ReadyCluster&)> variables_of)
    : arguments_(arguments), cluster_(cluster), program_(program), variables_of_(std::move(variables_of)), session_(cluster.asking()),
      supervisor_(session_.loop(), arguments.on_preempt),
      rule_(arguments.restarts_on_lost, arguments.restarts_on_failed, arguments.max_restarts.value_or(usual_restarts)),
      grace_(arguments.grace.value_or(usual_grace)), pause_(session_.executor()), random_(seed()) {}

int KeptProgram::run() {
  const bool is_fine = supervisor_.hold_offspring() && supervisor_.open([this] {
    session_.interrupt();
    pause_.cancel();
  });
  if (!is_fine) return exit_exec_failed;
  for (;;) {
    if (const std::optional<int> code = await_and_start()) return *code;
    run_once();
    if (supervisor_.is_running()) return exit_not_restarted;
    RestartDecision next = rule_.after(end_, [this] { return uniform(); });
    if (next.step == NextStep::poll) {
      end_.poll = poll();
      end_.is_signalled_from_outside = supervisor_.is_asked_to_end();
      next = rule_.after(end_, [this] { return uniform(); });
    }
    if (const std::optional<int> code = go_on(next)) return *code;
  }
}

// The exit code of a failure; none: the program runs.
std::optional<int> KeptProgram::await_and_start() {
  const bool is_first = largest_ == 0;
  const std::optional<Result<ReadyCluster>> ready = cluster_.wait(program_.forms, largest_);
  if (!ready || supervisor_.is_asked_to_end()) return exit_interrupted;
  if (!*ready) return is_first ? exec_code(refuse(ready->error())) : refuse(ready->error(), exit_not_restarted);
  Result<EnvironmentVariables> variables = variables_of_(**ready);
  if (!variables) return is_first ? exec_code(refuse(variables.error())) : refuse(variables.error(), exit_not_restarted);
  variables->emplace_back("ROLLCALL_RESTART_COUNT", std::to_string(rule_.restarts()));
  program_.set_environment(*variables);
  const ClusterStatus& status = (*ready)->status;
  started_ = StartedCluster(status);
  largest_ = std::max({largest_, static_cast<int>(status.members.size()), 1});
  const int refused = supervisor_.start(program_);
  return refused == 0 ? std::nullopt : std::optional(refused);
}

void KeptProgram::run_once() {
  end_ = RunEnd();
  why_.clear();
  const SteadyTime begun = steady_now();
  const auto run = std::make_shared<Run>(session_.executor());
  asio::co_spawn(session_.loop(), follow(run), asio::detached);
  end_.status = supervisor_.wait();
  run->is_over = true;
  run->pause.cancel();
  if (run->news) run->news->close();
  end_.ran = saturating_difference(steady_now(), begun);
  end_.is_signalled_from_outside = supervisor_.is_asked_to_end();
  session_.write_metrics();
}

// If the watch fails but the cluster is not gone, the program continues: a watch's trouble is not a loss. The watch is restarted.
asio::awaitable<void> KeptProgram::follow(std::shared_ptr<Run> run) {
  ExponentialBackoff backoff(std::chrono::seconds(5), std::chrono::minutes(5));
  while (!run->is_over) {
    WatchOptions options;
    options.until(arguments_.until).members(arguments_.members).request_options(session_.call_options());
    const std::shared_ptr<ClusterWatch> following = watch(cluster_.resolver(), std::move(options));
    run->news = std::make_shared<MemberNews>(
        following, started_, MeasuredBy::start, [this](const News& news) { take(news); },
        [this, following](const ClusterStatus&) { session_.update_metrics_from(following); });
    const Failure end = co_await MemberNews::follow(run->news);
    if (run->is_over || says_gone(end)) co_return;
    const Duration time = backoff.next();
    complain(fmt::format("losses are not seen at present: {}; the cluster is followed again in {}", end.message(), duration_text(time)));
    run->pause.expires_after(time);
    std::error_code ignored;
    co_await run->pause.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

void KeptProgram::take(const News& news) {
  const bool is_loss = news.kind == NewsKind::preemption || news.kind == NewsKind::members || news.kind == NewsKind::end;
  if (is_loss && arguments_.restarts_on_lost)
    return stop_for(news.is_of_own_machine ? StopReason::own_machine_lost : StopReason::member_lost, news.why);
  if (news.kind == NewsKind::joined) {
    // A member that was left out because it did not answer the wait's own check may have been "ready" for the service all the time.
    const bool asks_members = includes(arguments_.until, Readiness::reachable) || includes(arguments_.until, Readiness::devices);
    if (arguments_.min_members > 0 && !(news.is_of_first_poll && asks_members)) stop_for(StopReason::cluster_grown, news.why);
  } else if (arguments_.on_preempt != 0) {
    supervisor_.announce(news.kind, news.why);
  }
}

void KeptProgram::stop_for(StopReason reason, const std::string& why) {
  if (supervisor_.is_asked_to_end()) return;  // the program ends, and is not run again
  const bool is_first = end_.stopped_for == StopReason::none;
  if (!is_first && reason != StopReason::own_machine_lost) return;
  if (!supervisor_.stop(why, grace_)) return;
  end_.stopped_for = reason;
  why_ = why;
}

ClusterCheck KeptProgram::poll() {
  const SteadyTime end = saturating_sum(steady_now(), is_checked_last);
  for (;;) {
    std::optional<Result<ClusterStatus>> seen;
    CallOptions options = session_.call_options();
    options.timeout(std::max<Duration>(saturating_difference(end, steady_now()), between_questions));
    session_.ask(cluster_.resolver()->try_cluster_status(std::move(options)),
                 [&seen](Result<ClusterStatus> status) { seen.emplace(std::move(status)); });
    if (!session_.wait() || !seen) return ClusterCheck::whole;
    if (*seen) {
      if (const std::optional<Loss> loss = started_.loss_behind_failure(**seen)) {
        why_ = loss->why;
        return ClusterCheck::lost;
      }
    } else if (says_gone(seen->error())) {
      why_ = seen->error().message();
      return ClusterCheck::lost;
    }
    if (saturating_sum(steady_now(), between_questions) > end) return ClusterCheck::whole;
    pause(with_jitter(between_questions, 0.8, 0.4, uniform()));
    if (supervisor_.is_asked_to_end()) return ClusterCheck::whole;
  }
}

// The exit code; none: wait for the cluster again.
std::optional<int> KeptProgram::go_on(const RestartDecision& next) {
  if (next.step == NextStep::end) return end_.status;
  const std::string& name = supervisor_.program_name();
  const std::string ended = fmt::format("{} ended with status {}{}{}", name, end_.status, why_.empty() ? "" : ": ", why_);
  const bool is_cleared = supervisor_.clear_up(grace_);
  if (next.step == NextStep::give_up || !is_cleared) {
    const std::string why = end_.stopped_for == StopReason::own_machine_lost ? "it is not restarted here"
                            : !is_cleared ? "it cannot be restarted while processes that it left behind are running"
                                          : fmt::format("no restart of {} is left", rule_.max_restarts());
    complain(fmt::format("{}; {}", ended, why));
    return exit_not_restarted;
  }
  const std::string which = end_.stopped_for == StopReason::cluster_grown
                                ? std::string("restart")
                                : fmt::format("restart {} of {}", rule_.counted(), rule_.max_restarts());
  complain(fmt::format("{}; {} in {}, when the cluster is ready", ended, which, duration_text(next.pause)));
  pause(next.pause);
  if (!supervisor_.is_asked_to_end()) return std::nullopt;
  complain("interrupted");
  return exit_interrupted;
}

// Pauses, at most until a signal ends this command.
void KeptProgram::pause(Duration time) {
  if (supervisor_.is_asked_to_end()) return;
  bool is_over = false;
  pause_.expires_after(time);
  pause_.async_wait([this, &is_over](const std::error_code&) {
    is_over = true;
    session_.loop().stop();
  });
  while (!is_over) {
    session_.loop().restart();
    session_.loop().run();
  }
}

}  // namespace rollcall::command
