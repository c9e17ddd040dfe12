#include "preflight/desk.hpp"

#include <algorithm>
#include <optional>

#include "base/at_end.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "meeting/wire/meeting_documents.hpp"
#include "preflight/flow.hpp"
#include "preflight/host/package_digest.hpp"
#include "preflight/prober.hpp"
#include "preflight/rules/judgement.hpp"
#include "preflight/rules/package_lists.hpp"
#include "preflight/rules/probed_places.hpp"

namespace rollcall::preflight {
namespace {

constexpr std::size_t max_claims = 8;
// An answer to a report waits that long for the verdict. Then the member asks again.
constexpr Duration patience_for_verdict = std::chrono::seconds(10);

// `worker` and 3 of `worker:3`.
void set_task(EvidenceMember& member, const meeting::MeetingTask& task) {
  const std::size_t colon = task.name.rfind(':');
  member.job = task.name.substr(0, colon);
  member.index = parse_decimal<int>(std::string_view(task.name).substr(colon + 1)).value_or(0);
  member.address = task.address.to_text();
}

// Once for each address.
void add_claim(std::vector<IdentityClaim>& claims, const std::string& from, std::string_view why, std::string_view text) {
  const bool is_known = std::any_of(claims.begin(), claims.end(), [&](const IdentityClaim& claim) { return claim.from == from; });
  if (is_known || claims.size() >= max_claims) return;
  IdentityClaim& claim = claims.emplace_back();
  claim.from = from;
  claim.why = why;
  claim.text = text;
}

}  // namespace

Desk::Desk(std::shared_ptr<Runtime::Impl> runtime, std::vector<meeting::MeetingTask> tasks, std::size_t own, std::string run,
           std::string incarnation, bool gathers, std::shared_ptr<meeting::MemberGuard> guard)
    : runtime_(std::move(runtime)), tasks_(std::move(tasks)), own_(own), run_(std::move(run)), incarnation_(std::move(incarnation)),
      gathers_(gathers), guard_(std::move(guard)), seen_(tasks_.size()), orders_(tasks_.size()) {
  small_answer_ = std::make_shared<const std::string>(write_probe_answer(answer_of_own()));
  large_answer_ = std::make_shared<const std::string>(*small_answer_ + std::string(large_message_bytes, '\n'));
}

HttpServer::Handler Desk::handler() {
  return [self = shared_from_this()](ServerExchange& exchange) { return serve(self, exchange); };
}

asio::awaitable<void> Desk::serve(std::shared_ptr<Desk> self, ServerExchange& exchange) {
  const std::string_view target = exchange.request().target;
  if (!target.starts_with(all_preflights) && self->meeting_) {
    const HttpServer::Handler meeting = self->meeting_;
    co_await meeting(exchange);
    co_return;
  }
  if (self->is_of_latecomer(target)) {
    co_await self->answer_latecomer(exchange);
    co_return;
  }
  co_await self->answer(exchange);
}

void Desk::end_meeting(std::string hellos) {
  meeting_ = nullptr;
  meeting_bodies_ = nullptr;
  late_hellos_ = std::move(hellos);
}

// With a verdict this run is over, and who comes is of the next one.
bool Desk::is_of_latecomer(std::string_view path) const { return !late_hellos_.empty() && !verdict_ && path.starts_with(late_hellos_); }

asio::awaitable<void> Desk::answer_latecomer(ServerExchange& exchange) {
  std::string body;
  const meeting::MemberGuard::Speaker speaker = co_await guard_->hear(exchange, body);
  if (speaker != meeting::MemberGuard::Speaker::member) co_return;
  co_await guard_->reply(exchange, 410, R"({"error":"this meeting is over: the members probe each other"})");
}

HttpServer::BodyRule Desk::bodies() {
  return [self = shared_from_this()](const ServerRequest& head) -> std::size_t {
    const std::string_view path = head.target;
    if (self->is_of_latecomer(path)) return self->guard_->body_bytes(head, meeting::max_hello_bytes);
    if (!path.starts_with(all_preflights)) return self->meeting_bodies_ ? self->meeting_bodies_(head) : 1;
    const std::optional<ProbePath> known = self->path_of_run(path);
    return known ? self->guard_->body_bytes(head, known->kind == "report" ? max_report_bytes : large_message_bytes) : 1;
  };
}

std::optional<ProbePath> Desk::path_of_run(std::string_view path) const {
  const std::optional<ProbePath> known = read_probe_path(path);
  return known && known->run == run_ && known->from < tasks_.size() ? known : std::nullopt;
}

asio::awaitable<void> Desk::answer(ServerExchange& exchange) {
  const ServerRequest& request = exchange.request();
  const std::optional<ProbePath> path = path_of_run(request.target);
  if (!path || (request.method != "PUT" && request.method != "GET")) {
    co_await meeting::MemberGuard::refuse(exchange, 404);
    co_return;
  }
  std::string body;
  const meeting::MemberGuard::Speaker speaker = co_await guard_->hear(exchange, body);
  if (speaker != meeting::MemberGuard::Speaker::member) {
    note_refusal(path->from, speaker, request.peer);
    co_return;
  }
  if (path->kind != "report" && path->kind != "done") {
    co_await answer_probe(exchange, path->from, path->kind, body);
    co_return;
  }
  if (!gathers_ || !guard_->is_for_own(request)) {
    co_await guard_->reply(exchange, 421, R"({"error":"this member gathers no reports"})");
    co_return;
  }
  if (path->kind == "done") {
    note_served(path->from);
    co_await guard_->reply(exchange, 200, "{}");
    co_return;
  }
  co_await answer_report(exchange, path->from, body);
}

void Desk::note_refusal(std::size_t place, meeting::MemberGuard::Speaker speaker, const std::string& from) {
  using Speaker = meeting::MemberGuard::Speaker;
  const bool has_one = speaker == Speaker::other_secret || speaker == Speaker::with_secret;
  const std::string_view why = has_one ? "other_secret" : speaker == Speaker::without_secret ? "no_secret" : "";
  if (why.empty()) return;
  add_claim(seen_[place].refused, from, why, speaker == Speaker::with_secret ? "the one that judges has none" : "");
}

asio::awaitable<void> Desk::answer_probe(ServerExchange& exchange, std::size_t from, std::string_view kind, std::string_view body) {
  seen_[from].was_heard = true;
  if (on_probe_) std::exchange(on_probe_, nullptr)();
  if (kind == "flow") {
    const auto order = parse_decimal<std::int64_t>(body);
    if (!order) {
      co_await guard_->reply(exchange, 400, R"({"error":"not the number of an order"})");
      co_return;
    }
    std::optional<SentFlow> flow = co_await send_flow(exchange, *runtime_->time);
    if (!flow) co_return;
    flow->to = static_cast<int>(from);
    flow->order = *order;
    seen_[from].flow = *flow;
    sent_.wake();
    co_return;
  }
  co_await guard_->reply(exchange, 200, answer_to(kind));
}

ProbeAnswer Desk::answer_of_own() const {
  ProbeAnswer answer;
  answer.run = run_;
  answer.members = static_cast<int>(tasks_.size());
  answer.place = static_cast<int>(own_);
  answer.incarnation = incarnation_;
  return answer;
}

std::shared_ptr<const std::string> Desk::answer_to(std::string_view kind) const {
  if (kind == "in" || kind == "both") return large_answer_;
  if (kind != "clock") return small_answer_;
  ProbeAnswer answer = answer_of_own();
  answer.clock_us = microseconds_of(runtime_->time->wall_now());
  return std::make_shared<const std::string>(write_probe_answer(answer));
}

asio::awaitable<void> Desk::answer_report(ServerExchange& exchange, std::size_t place, std::string_view body) {
  Result<MemberReport> report = read_report(body, tasks_.size());
  if (!report) {
    co_await guard_->reply(exchange, 400, R"({"error":"not the report of a member"})");
    co_return;
  }
  const std::int64_t done = report->order;
  take(place, std::move(*report), exchange.request().peer);
  if (!verdict_ && orders_.number() <= done) co_await wait_for_news(exchange);
  if (!verdict_ && orders_.number() > done) {
    co_await guard_->reply(exchange, 201, write_order(order_of(place)));
    co_return;
  }
  if (!verdict_) {
    co_await guard_->reply(exchange, 202, R"({"error":"no verdict yet"})");
    co_return;
  }
  const bool is_sent = co_await guard_->reply(exchange, 200, verdict_);
  // It has one from another gatherer, or is gone.
  if (!is_sent || exchange.is_closed()) note_served(place);
}

void Desk::note_served(std::size_t place) {
  if (seen_[place].report && !std::exchange(seen_[place].has_verdict, true)) ++served_;
  all_served_.wake();
}

asio::awaitable<void> Desk::wait_for_news(ServerExchange& exchange) {
  const SteadyTime until = saturating_sum(runtime_->time->now(), patience_for_verdict);
  AsyncEvent news;
  const auto at = waiting_.insert(waiting_.end(), &news);
  const AtEnd forget([this, at] { waiting_.erase(at); });
  const ClosedWatch closed(exchange, news);
  const bool is_awake = co_await news.wait_until(*runtime_->timers, until);
  static_cast<void>(is_awake);
}

void Desk::take(std::size_t place, MemberReport report, std::string from) {
  Seen& seen = seen_[place];
  seen.was_heard = true;
  if (verdict_) return;  // it has been judged
  if (seen.report && seen.report->incarnation != report.incarnation) {
    add_claim(seen.claims, from, "taken", "");
    return;
  }
  // A list that is not what the others' are compared with says nothing of theirs.
  std::vector<std::string>& listed = report.member.packages;
  if (!listed.empty() && fact_value(report.member, packages_fact) != package_digest(listed)) listed.clear();
  if (!seen.report) ++count_;
  seen.from = std::move(from);
  seen.report = std::move(report);
  came_.wake();
}

std::size_t Desk::heard() const noexcept {
  return static_cast<std::size_t>(std::count_if(seen_.begin(), seen_.end(), [](const Seen& seen) { return seen.was_heard; }));
}

PreflightEvidence Desk::evidence() const {
  PreflightEvidence evidence;
  evidence.run = run_;
  evidence.judged_by = static_cast<int>(own_);
  evidence.authenticated = guard_->has_secret();
  evidence.probes_each = static_cast<int>(probes_of_each(tasks_.size()));
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const Seen& seen = seen_[i];
    EvidenceMember& member = evidence.members.emplace_back();
    if (seen.report) member = seen.report->member;
    member.state = seen.report ? EvidenceState::reported : seen.was_heard ? EvidenceState::joined : EvidenceState::absent;
    set_task(member, tasks_[i]);
    member.from = seen.from;
    member.claims = seen.claims;
    // Beside the right one it is a stranger, which changes nothing.
    if (!seen.report) member.claims.insert(member.claims.end(), seen.refused.begin(), seen.refused.end());
  }
  return evidence;
}

void Desk::hand_out() {
  for (AsyncEvent* event : waiting_) event->wake();
}

std::optional<SentFlow> Desk::flow_of(const LeaderOrder& order) const {
  const std::optional<SentFlow>& flow = seen_[static_cast<std::size_t>(order.partner)].flow;
  return flow && flow->order == order.number ? flow : std::nullopt;
}

asio::awaitable<bool> Desk::wait_for_flow(LeaderOrder order, SteadyTime when) {
  while (!flow_of(order) && runtime_->time->now() < when) {
    const bool is_awake = co_await sent_.wait_until(*runtime_->timers, when);
    if (!is_awake) co_return false;
  }
  co_return true;
}

bool Desk::is_carried_out() const {
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (orders_.of(i).asks() && seen_[i].report->order < orders_.number()) return false;
  }
  return true;
}

void Desk::announce(const PreflightVerdict& verdict) {
  verdict_ = std::make_shared<const std::string>(write_verdict(verdict));
  hand_out();
}

asio::awaitable<void> Desk::wait_until_served(SteadyTime when) {
  // This member itself asks for nothing.
  while (served_ + 1 < count_ && runtime_->time->now() < when) {
    const bool is_awake = co_await all_served_.wait_until(*runtime_->timers, when);
    if (!is_awake) co_return;
  }
}

}  // namespace rollcall::preflight
