#include "preflight/flight.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "async/group.hpp"
#include "async/with_background.hpp"
#include "base/at_end.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "meeting/roll_keeper.hpp"
#include "meeting/run_identity.hpp"
#include "preflight/flow.hpp"
#include "preflight/rules/chosen_verdict.hpp"
#include "preflight/rules/lone_verdict.hpp"
#include "preflight/rules/package_lists.hpp"
#include "preflight/rules/probed_places.hpp"

namespace rollcall::preflight {
namespace {

// A member asks for the verdict that long, which is longer than a gatherer waits.
constexpr Duration patience_for_verdicts = std::chrono::seconds(40);
// Where it has reached none of the gatherers, neither by a probe nor with its report.
constexpr Duration patience_of_the_cut_off = std::chrono::seconds(7);
constexpr Duration patience_for_lower_gatherer = std::chrono::seconds(2);
// Less than the one that leads waits for both ends of a flow.
constexpr Duration patience_to_send = flow_window + std::chrono::seconds(2);
constexpr Duration patience_for_release = std::chrono::seconds(1);
constexpr std::size_t max_verdict_bytes = std::size_t{8} << 20;
constexpr Duration time_to_part = std::chrono::seconds(2);
// Of a gatherer whose verdict none needs: the first one gives its own, and who has that breaks off here without a word.
constexpr Duration time_to_part_beside_first = std::chrono::milliseconds(500);

}  // namespace

Flight::Flight(Runtime::Impl& runtime, const std::vector<meeting::MeetingTask>& tasks, std::size_t own, const PreflightOptions& options,
               meeting::Listen listen, std::shared_ptr<meeting::MemberGuard> guard)
    : runtime_(runtime), tasks_(tasks), own_(own), options_(options), listen_(std::move(listen)),
      run_(meeting::name_of_run("preflight", tasks, options.run())), incarnation_(meeting::new_incarnation(runtime)),
      gatherers_(meeting::gatherers_of(tasks)), gathers_(std::find(gatherers_.begin(), gatherers_.end(), own) != gatherers_.end()),
      guard_(std::move(guard)), desk_(std::make_shared<Desk>(runtime.shared_from_this(), tasks, own, run_, incarnation_, gathers_, guard_)),
      caller_(guard_->key(), incarnation_), gathering_(runtime, *desk_, options, own, gatherers_.front()),
      prober_(tasks, own, run_, caller_), own_findings_(options.findings()), verdicts_(gatherers_.size()) {
  barrier_.run("preflight " + options.run()).on_progress([this](const BarrierProgress& progress) {
    if (options_.on_attendance()) options_.on_attendance()(progress);
    if (options_.on_progress()) options_.on_progress()(progress.line());
  });
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
    gathers_ = false;
    Finding& taken = own_findings_.emplace_back();
    taken.check = "port";
    taken.action = FindingAction::free_port;
    taken.text = listening.error().what();
    taken.hint = listening.error().hint();
  }
  const Result<bool> met = co_await meet();
  if (!met) co_return met.error();
  const Result<void> probed = co_await probe(call);
  if (!probed) co_return probed.error();
  desk_->take(own_, report(), "");
  const Result<bool> answered = co_await with_background<bool>(ask_all(call), wait_for_verdict());
  if (!answered) co_return answered.error();
  const bool is_beside_first = own_ != gatherers_.front() && desk_->has_report_of(gatherers_.front());
  const Duration parting = is_beside_first ? time_to_part_beside_first : time_to_part;
  if (gathers_) co_await desk_->wait_until_served(saturating_sum(runtime_.time->now(), parting));
  co_return chosen();
}

// Until all are there, or one of them waits no longer.
asio::awaitable<Result<bool>> Flight::meet() {
  if (tasks_.size() == 1) {
    go();
    co_return true;
  }
  co_return co_await with_background<bool>(attend(), wait_for_go());
}

asio::awaitable<Result<void>> Flight::attend() {
  CallOptions options;
  options.timeout(options_.timeout());
  meeting::Listen listen = [this](HttpServer::Handler handler, HttpServer::BodyRule bodies,
                                  const Endpoint&) -> Result<std::shared_ptr<void>> {
    desk_->lead_on(std::move(handler), std::move(bodies));
    std::string hellos = meeting::path_of_members(meeting::name_of_run("barrier", tasks_, barrier_.run()));
    return std::shared_ptr<void>(desk_.get(), [desk = desk_, hellos = std::move(hellos)](void*) { desk->end_meeting(hellos); });
  };
  meeting::Attendance attendance(runtime_, tasks_, own_, barrier_, std::move(listen), guard_);
  attendance.end_with_keeper();  // a member that no other one can probe hears of it in no other way
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
  const std::size_t each = probes_of_each(tasks_.size());
  const std::size_t all = each == 0 ? tasks_.size() - 1 : each;
  std::size_t shown = 0;
  std::function<void(std::size_t)> on_progress = [this, all, &shown](std::size_t done) {
    if (done != 0 && (done - shown) * 10 < all) return;
    shown = done;
    if (options_.on_progress()) options_.on_progress()(fmt::format("members probed: {} of {}", done, all));
  };
  const Result<void> probed = co_await prober_.probe_all(call, std::move(on_progress));
  if (!probed) co_return probed;
  co_return co_await prober_.read_clocks(call, gatherers_);
}

MemberReport Flight::report() const {
  MemberReport report;
  report.incarnation = incarnation_;
  report.order = order_;
  EvidenceMember& member = report.member;
  member.state = EvidenceState::reported;
  member.host = printable(options_.host(), 200);
  member.row = ProbeRow::write(prober_.results());
  member.details = prober_.details();
  member.clocks = prober_.clocks();
  member.measures = prober_.measures();
  member.sent = sent_;
  member.boot_id = printable(options_.boot_id(), 200);
  member.block = printable(options_.block(), 200);
  member.facts = options_.facts();
  if (lists_packages_ && fits_report(options_.packages())) member.packages = options_.packages();
  member.unknown = options_.unknown();
  member.is_host_known = options_.is_host_known();
  member.findings = own_findings_;
  return report;
}

asio::awaitable<Result<void>> Flight::judge_here(Call& call) {
  Gathering::CarryOut carry_out_here = [this, &call](LeaderOrder order) { return carry_out_own(call, order); };
  Result<PreflightVerdict> verdict = co_await gathering_.judge(were_all_there_, gone_at_, std::move(carry_out_here));
  if (!verdict) co_return verdict.error();
  has_judged_ = true;
  const auto at = std::find(gatherers_.begin(), gatherers_.end(), own_);
  verdicts_[static_cast<std::size_t>(at - gatherers_.begin())] = std::move(*verdict);
  answered_.wake();
  co_return Result<void>();
}

asio::awaitable<Result<void>> Flight::carry_out(Call& call, LeaderOrder order) {
  order_ = order.number;
  lists_packages_ |= order.packages;
  if (order.again) co_return co_await prober_.probe_again(call, gatherers_);
  if (order.partner < 0) co_return Result<void>();
  if (!order.sends) co_return co_await prober_.measure(call, static_cast<std::size_t>(order.partner), order.number);
  const bool is_awake = co_await desk_->wait_for_flow(order, saturating_sum(runtime_.time->now(), patience_to_send));
  if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while bandwidth was measured");
  if (const std::optional<SentFlow> flow = desk_->flow_of(order)) sent_.push_back(*flow);
  co_return Result<void>();
}

asio::awaitable<Result<void>> Flight::carry_out_own(Call& call, LeaderOrder order) {
  const Result<void> done = co_await carry_out(call, order);
  if (done) desk_->take(own_, report(), "");
  co_return done;
}

asio::awaitable<Result<HttpResponse>> Flight::say(Call& call, std::size_t place, std::string_view kind) {
  meeting::MemberRequest request;
  request.to = place;
  request.at = tasks_[place].address;
  request.path = probe_path(run_, kind, own_, own_);
  if (kind == "report") request.body = write_report(report());
  request.max_segment = meeting::small_segment;
  request.what = fmt::format("the verdict at {}", tasks_[place].name);
  request.patience = std::chrono::seconds(12);
  request.max_answer_bytes = max_verdict_bytes;
  co_return co_await caller_.ask(call, request);
}

asio::awaitable<Result<void>> Flight::ask(Call& call, std::size_t gatherer) {
  const std::size_t place = gatherers_[gatherer];
  for (;;) {
    const Result<HttpResponse> response = co_await say(call, place, "report");
    // While an answer is awaited, the gatherer has been reached.
    has_reached_gatherer_ |= response ? response->status == 202 : response.error().phase() == Phase::response;
    if (response && response->status == 201 && place == gatherers_.front()) {
      const Result<LeaderOrder> order = read_order(response->body, tasks_.size());
      if (order) {
        const Result<void> measured = co_await carry_out(call, *order);
        if (!measured) co_return measured;
        continue;
      }
    }
    if (response && response->status == 200) {
      Result<PreflightVerdict> verdict = read_verdict(response->body);
      if (verdict) {
        // So that it knows that its end, a reset, does not take the verdict away.
        const Result<HttpResponse> thanked = co_await say(call, place, "done");
        if (!thanked && thanked.error().code() == Errc::cancelled) co_return thanked.error();
        if (gatherer == 0) gathering_.note_leader(*verdict);
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
    if (gatherers_[i] != own_) children.push_back(ask(call, i));
    if (gatherers_[i] == own_ && gathers_) children.push_back(judge_here(call));
  }
  co_return co_await join(std::move(children));
}

// The verdict of the lowest gatherer counts. Where that one is silent, the next one's does a moment later.
asio::awaitable<Result<bool>> Flight::wait_for_verdict() {
  const SteadyTime begun = runtime_.time->now();
  SteadyTime until =
      saturating_sum(begun, options_.bandwidth() ? patience_for_verdicts + Gathering::patience_for_bandwidth() : patience_for_verdicts);
  const SteadyTime until_cut_off = saturating_sum(begun, patience_of_the_cut_off);
  bool has_any = false;
  while (!has_enough_verdicts() && runtime_.time->now() < until) {
    const bool is_cut_off = !gathers_ && !has_reached_gatherer();
    if (is_cut_off && runtime_.time->now() >= until_cut_off) break;
    const bool is_awake = co_await answered_.wait_until(*runtime_.timers, is_cut_off ? until_cut_off : until);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while the verdict was awaited");
    if (chosen_verdict(verdicts_) && !std::exchange(has_any, true))
      until = std::min(until, saturating_sum(runtime_.time->now(), patience_for_lower_gatherer));
  }
  co_return true;
}

// One of all members, or of each gatherer that can be reached: reports may have come to one of them that did not come to another.
bool Flight::has_enough_verdicts() const {
  if (gathers_ && !has_judged_) return false;
  const std::optional<PreflightVerdict>& first = verdicts_.front();
  if (first && first->present == first->members) return true;
  for (std::size_t i = 0; i < gatherers_.size(); ++i) {
    const bool is_awaited = gatherers_[i] != own_ && !is_of_the_absent(prober_.results()[gatherers_[i]]);
    if (is_awaited && !verdicts_[i]) return false;
  }
  return chosen_verdict(verdicts_) != nullptr;
}

bool Flight::has_reached_gatherer() const {
  const auto was_there = [this](std::size_t gatherer) { return is_of_the_present(prober_.results()[gatherer]); };
  return has_reached_gatherer_ || !prober_.clocks().empty() || std::any_of(gatherers_.begin(), gatherers_.end(), was_there);
}

PreflightVerdict Flight::chosen() const {
  const PreflightVerdict* const best = chosen_verdict(verdicts_);
  return best ? *best : own_verdict();
}

PreflightVerdict Flight::own_verdict() const {
  LoneMember lone;
  lone.run = run_;
  lone.members = tasks_.size();
  lone.name = tasks_[own_].name;
  for (const std::size_t gatherer : gatherers_) lone.gatherers.push_back(tasks_[gatherer].name);
  for (const std::size_t place : places_to_probe(tasks_.size(), own_, run_)) lone.seen.push_back(prober_.results()[place]);
  lone.findings = own_findings_;
  return lone_verdict(lone);
}

}  // namespace rollcall::preflight
