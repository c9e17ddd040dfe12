#include "preflight/flight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "async/group.hpp"
#include "async/with_background.hpp"
#include "base/at_end.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "meeting/run_identity.hpp"

namespace rollcall::preflight {
namespace {

// From the time that a gatherer's own probes are done: how long it waits for reports of others.
constexpr Duration patience_for_reports = std::chrono::seconds(20);
constexpr Duration patience_for_latecomers = std::chrono::milliseconds(1500);
// A member asks for the verdict that long, which is longer than a gatherer waits.
constexpr Duration patience_for_verdicts = std::chrono::seconds(40);
constexpr Duration patience_for_lower_gatherer = std::chrono::seconds(2);
constexpr Duration patience_for_release = std::chrono::seconds(1);
constexpr std::size_t max_verdict_bytes = std::size_t{8} << 20;
constexpr Duration time_to_part = std::chrono::seconds(2);

}  // namespace

Flight::Flight(Runtime::Impl& runtime, const std::vector<meeting::MeetingTask>& tasks, std::size_t own, const PreflightOptions& options,
               meeting::Listen listen, std::shared_ptr<meeting::MemberGuard> guard)
    : runtime_(runtime), tasks_(tasks), own_(own), options_(options), listen_(std::move(listen)),
      run_(meeting::name_of_run("preflight", tasks, options.run())), incarnation_(meeting::new_incarnation(runtime)),
      gatherers_(meeting::gatherers_of(tasks)), gathers_(std::find(gatherers_.begin(), gatherers_.end(), own) != gatherers_.end()),
      guard_(std::move(guard)), desk_(std::make_shared<Desk>(runtime.shared_from_this(), tasks, own, run_, incarnation_, gathers_, guard_)),
      caller_(guard_->key(), incarnation_), prober_(tasks, own, run_, caller_), own_findings_(options.findings()),
      verdicts_(gatherers_.size()) {
  barrier_.run("preflight " + options.run()).on_progress([this](const BarrierProgress& progress) { show(progress.line()); });
}

void Flight::show(std::string_view line) {
  if (options_.on_progress()) options_.on_progress()(line);
}

void Flight::go() {
  if (!std::exchange(is_going_, true)) gone_at_ = runtime_.time->now();
  going_.wake();
}

asio::awaitable<Result<PreflightVerdict>> Flight::fly(Call& call) {
  desk_->on_probe([this] { go(); });
  const AtEnd forget([this] { desk_->on_probe(nullptr); });
  Result<std::shared_ptr<void>> listening = listen_(desk_->handler(), desk_->bodies(), tasks_[own_].address);
  if (listening) {
    listening_ = std::move(*listening);
  } else {
    Finding& taken = own_findings_.emplace_back();
    taken.check = "port";
    taken.action = FindingAction::free_port;
    taken.text = listening.error().what();
    taken.hint = listening.error().hint();
  }
  const Result<void> met = co_await meet(call);
  if (!met) co_return met.error();
  const Result<void> probed = co_await probe(call);
  if (!probed) co_return probed.error();
  desk_->take(own_, report(), "");
  const Result<bool> answered = co_await with_background<bool>(ask_all(call), wait_for_verdict());
  if (!answered) co_return answered.error();
  if (gathers_) co_await desk_->wait_until_served(saturating_sum(runtime_.time->now(), time_to_part));
  co_return chosen();
}

// Until all are there, or one of them waits no longer.
asio::awaitable<Result<void>> Flight::meet(Call&) {
  if (tasks_.size() == 1) {
    go();
    co_return Result<void>();
  }
  const Result<bool> gone = co_await with_background<bool>(attend(), wait_for_go());
  if (!gone) co_return gone.error();
  co_return Result<void>();
}

asio::awaitable<Result<void>> Flight::attend() {
  CallOptions options;
  options.timeout(options_.timeout());
  meeting::Listen listen = [this](HttpServer::Handler handler, HttpServer::BodyRule bodies,
                                  const Endpoint&) -> Result<std::shared_ptr<void>> {
    desk_->lead_on(std::move(handler), std::move(bodies));
    return std::shared_ptr<void>(desk_.get(), [desk = desk_](void*) { desk->lead_on(nullptr, nullptr); });
  };
  meeting::Attendance attendance(runtime_, tasks_, own_, barrier_, std::move(listen), guard_);
  auto script = [&attendance](Call& of_meeting) { return attendance.attend(of_meeting); };
  const Result<BarrierRelease> met =
      co_await run_call<BarrierRelease>(runtime_.shared_from_this(), std::move(options), CallSubject("the meeting"), std::move(script));
  if (!met && met.error().code() == Errc::cancelled) co_return met.error();
  // What kept the meeting from its end: the probes show what it was.
  were_all_there_ = met.has_value();
  has_met_ = true;
  go();
  co_return Result<void>();
}

asio::awaitable<Result<bool>> Flight::wait_for_go() {
  while (!is_going_) {
    const bool is_awake = co_await going_.wait();
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled at the meeting");
  }
  // Another one may have heard of the release first. It comes here within a moment, if at all.
  const SteadyTime until = saturating_sum(gone_at_, patience_for_release);
  while (!has_met_ && runtime_.time->now() < until) {
    const bool is_awake = co_await going_.wait_until(*runtime_.timers, until);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled at the meeting");
  }
  co_return true;
}

asio::awaitable<Result<void>> Flight::probe(Call& call) {
  const std::size_t all = tasks_.size() - 1;
  std::size_t shown = 0;
  std::function<void(std::size_t)> on_progress = [this, all, &shown](std::size_t done) {
    if (done != 0 && (done - shown) * 10 < all) return;
    shown = done;
    show(fmt::format("members probed: {} of {}", done, all));
  };
  co_return co_await prober_.probe_all(call, std::move(on_progress));
}

MemberReport Flight::report() const {
  MemberReport report;
  report.incarnation = incarnation_;
  EvidenceMember& member = report.member;
  member.state = EvidenceState::reported;
  member.host = printable(options_.host(), 200);
  member.row = ProbeRow::write(prober_.results());
  member.details = prober_.details();
  member.boot_id = printable(options_.boot_id(), 200);
  member.facts = options_.facts();
  member.unknown = options_.unknown();
  member.is_host_known = options_.is_host_known();
  member.findings = own_findings_;
  return report;
}

// A gatherer judges when all have reported, or when those that are there have, or could not.
asio::awaitable<Result<void>> Flight::judge_here(Call&) {
  const SteadyTime begun = runtime_.time->now();
  for (;;) {
    const SteadyTime now = runtime_.time->now();
    const bool is_one_missing = were_all_there_ || desk_->heard() > desk_->reports();
    const SteadyTime until = saturating_sum(begun, is_one_missing ? patience_for_reports : patience_for_latecomers);
    if (desk_->reports() == tasks_.size() || now >= until) break;
    const bool is_awake = co_await desk_->wait_for_report(until);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while reports came");
  }
  PreflightEvidence evidence = desk_->evidence();
  evidence.took = std::chrono::duration_cast<std::chrono::milliseconds>(runtime_.time->now() - gone_at_);
  const PreflightVerdict verdict = judge_preflight(evidence);
  if (options_.on_evidence()) options_.on_evidence()(evidence);
  desk_->announce(verdict);
  has_judged_ = true;
  const auto at = std::find(gatherers_.begin(), gatherers_.end(), own_);
  verdicts_[static_cast<std::size_t>(at - gatherers_.begin())] = verdict;
  answered_.wake();
  co_return Result<void>();
}

asio::awaitable<Result<HttpResponse>> Flight::say(Call& call, std::size_t place, std::string_view kind) {
  meeting::MemberRequest request;
  request.to = place;
  request.at = tasks_[place].address;
  request.path = probe_path(run_, kind, own_, own_);
  if (kind == "report") request.body = write_report(report());
  request.what = fmt::format("the verdict at {}", tasks_[place].name);
  request.patience = std::chrono::seconds(12);
  request.max_answer_bytes = max_verdict_bytes;
  co_return co_await caller_.ask(call, request);
}

asio::awaitable<Result<void>> Flight::ask(Call& call, std::size_t gatherer) {
  const std::size_t place = gatherers_[gatherer];
  for (;;) {
    const Result<HttpResponse> response = co_await say(call, place, "report");
    if (response && response->status == 200) {
      Result<PreflightVerdict> verdict = read_verdict(response->body);
      if (verdict) {
        // So that it knows that its end, a reset, does not take the verdict away.
        const Result<HttpResponse> thanked = co_await say(call, place, "done");
        if (!thanked && thanked.error().code() == Errc::cancelled) co_return thanked.error();
        verdicts_[gatherer] = std::move(*verdict);
        answered_.wake();
        co_return Result<void>();
      }
    }
    if (!response && response.error().code() == Errc::cancelled) co_return response.error();
    const bool is_awake = co_await sleep_until(*runtime_.timers, saturating_sum(runtime_.time->now(), std::chrono::milliseconds(250)));
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while the verdict was asked for");
  }
}

asio::awaitable<Result<void>> Flight::ask_all(Call& call) {
  std::vector<asio::awaitable<Result<void>>> children;
  for (std::size_t i = 0; i < gatherers_.size(); ++i) {
    if (gatherers_[i] == own_) {
      children.push_back(judge_here(call));
    } else {
      children.push_back(ask(call, i));
    }
  }
  co_return co_await join(std::move(children));
}

// The verdict of the lowest gatherer counts. Where that one is silent, the next one's does a moment later.
asio::awaitable<Result<bool>> Flight::wait_for_verdict() {
  SteadyTime until = saturating_sum(runtime_.time->now(), patience_for_verdicts);
  bool has_any = false;
  while (!(verdicts_.front() && (!gathers_ || has_judged_)) && runtime_.time->now() < until) {
    const bool is_awake = co_await answered_.wait_until(*runtime_.timers, until);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while the verdict was awaited");
    const bool is_there = std::any_of(verdicts_.begin(), verdicts_.end(), [](const auto& verdict) { return verdict.has_value(); });
    if (is_there && !std::exchange(has_any, true))
      until = std::min(until, saturating_sum(runtime_.time->now(), patience_for_lower_gatherer));
  }
  co_return true;
}

PreflightVerdict Flight::chosen() const {
  const auto is_there = [](const std::optional<PreflightVerdict>& verdict) { return verdict.has_value(); };
  // A pass is one only where no gatherer that has answered says otherwise.
  const auto failed = std::find_if(verdicts_.begin(), verdicts_.end(), [](const auto& verdict) { return verdict && !verdict->passed; });
  if (failed != verdicts_.end()) return **failed;
  const auto first = std::find_if(verdicts_.begin(), verdicts_.end(), is_there);
  if (first != verdicts_.end()) return **first;
  return own_verdict();
}

// By what this member saw alone, it cannot be said who is to blame.
PreflightVerdict Flight::own_verdict() const {
  PreflightVerdict verdict;
  verdict.run = run_;
  verdict.members = static_cast<int>(tasks_.size());
  verdict.present = 1;
  verdict.pairs_expected = static_cast<std::int64_t>(tasks_.size() * (tasks_.size() - 1));
  std::string asked;
  for (const std::size_t gatherer : gatherers_) asked += fmt::format("{}{}", asked.empty() ? "" : ", ", tasks_[gatherer].name);
  std::map<ProbeResult, std::vector<std::size_t>> seen;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (i != own_) seen[prober_.results()[i]].push_back(i);
  }
  std::string saw;
  for (const auto& [result, places] : seen) {
    saw += fmt::format("{}{} {}", saw.empty() ? "" : ", ", places.size(), to_string(result));
    if (result != ProbeResult::untested && result != ProbeResult::silent) verdict.pairs_tested += static_cast<std::int64_t>(places.size());
  }
  verdict.findings = own_findings_;
  Finding& finding = verdict.findings.emplace_back();
  finding.check = "verdict";
  finding.action = FindingAction::check_path;
  finding.text = fmt::format("{} got no verdict from those that gather reports ({}); of the {} others it saw: {}", tasks_[own_].name, asked,
                             tasks_.size() - 1, saw);
  finding.hint = "look at the verdicts of the others; all must be started with the same target and run";
  return verdict;
}

}  // namespace rollcall::preflight
