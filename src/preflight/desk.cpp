#include "preflight/desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/at_end.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "preflight/flow.hpp"
#include "preflight/prober.hpp"
#include "preflight/rules/address_blocks.hpp"
#include "preflight/rules/probed_places.hpp"

namespace rollcall::preflight {
namespace {

constexpr std::string_view all_preflights = "/v1/preflight/";
constexpr std::size_t max_claims = 8;
// An answer to a report waits that long for the verdict. Then the member asks again.
constexpr Duration patience_for_verdict = std::chrono::seconds(10);

// A path of this run: /v1/preflight/RUN/KIND/PLACE/FROM.
class DeskPath {
 public:
  DeskPath() {}
  std::string_view kind;
  std::size_t from = 0;
};

std::optional<DeskPath> read_desk_path(std::string_view path, std::string_view run, std::size_t members) {
  const std::vector<std::string_view> parts = split(path, '/');
  if (parts.size() != 7 || parts[2] != "preflight" || parts[3] != run) return std::nullopt;
  const auto from = parse_decimal<std::size_t>(parts[6], 0, members - 1);
  if (!from) return std::nullopt;
  DeskPath known;
  known.kind = parts[4];
  known.from = *from;
  return known;
}

// `worker` and 3 of `worker:3`.
void set_task(EvidenceMember& member, const meeting::MeetingTask& task) {
  const std::size_t colon = task.name.rfind(':');
  member.job = task.name.substr(0, colon);
  member.index = parse_decimal<int>(std::string_view(task.name).substr(colon + 1)).value_or(0);
  member.address = task.address.to_text();
}

}  // namespace

Desk::Desk(std::shared_ptr<Runtime::Impl> runtime, std::vector<meeting::MeetingTask> tasks, std::size_t own, std::string run,
           std::string incarnation, bool gathers, std::shared_ptr<meeting::MemberGuard> guard)
    : runtime_(std::move(runtime)), tasks_(std::move(tasks)), own_(own), run_(std::move(run)), incarnation_(std::move(incarnation)),
      gathers_(gathers), guard_(std::move(guard)), seen_(tasks_.size()) {
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
  co_await self->answer(exchange);
}

HttpServer::BodyRule Desk::bodies() {
  return [self = shared_from_this()](const ServerRequest& head) -> std::size_t {
    const std::string_view path = head.target;
    if (!path.starts_with(all_preflights)) return self->meeting_bodies_ ? self->meeting_bodies_(head) : 1;
    const std::optional<DeskPath> known = read_desk_path(path, self->run_, self->tasks_.size());
    return known ? self->guard_->body_bytes(head, known->kind == "report" ? max_report_bytes : large_message_bytes) : 1;
  };
}

asio::awaitable<void> Desk::answer(ServerExchange& exchange) {
  const ServerRequest& request = exchange.request();
  const std::optional<DeskPath> path = read_desk_path(request.target, run_, tasks_.size());
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
  std::vector<IdentityClaim>& refused = seen_[place].refused;
  const bool is_known = std::any_of(refused.begin(), refused.end(), [&](const IdentityClaim& claim) { return claim.from == from; });
  if (why.empty() || is_known || refused.size() >= max_claims) return;
  IdentityClaim& claim = refused.emplace_back();
  claim.from = from;
  claim.why = why;
  if (speaker == Speaker::with_secret) claim.text = "the one that judges has none";
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
  if (!verdict_ && order_ <= done) co_await wait_for_news(exchange);
  if (!verdict_ && order_ > done) {
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
    const bool is_known =
        std::any_of(seen.claims.begin(), seen.claims.end(), [&](const IdentityClaim& claim) { return claim.from == from; });
    if (is_known || seen.claims.size() >= max_claims) return;
    IdentityClaim& claim = seen.claims.emplace_back();
    claim.from = std::move(from);
    claim.why = "taken";
    return;
  }
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
  std::vector<std::string_view> hosts;
  for (const meeting::MeetingTask& task : tasks_) hosts.push_back(task.address.host);
  const std::vector<std::string> blocks = address_blocks(hosts);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const Seen& seen = seen_[i];
    EvidenceMember& member = evidence.members.emplace_back();
    if (seen.report) member = seen.report->member;
    member.state = seen.report ? EvidenceState::reported : seen.was_heard ? EvidenceState::joined : EvidenceState::absent;
    set_task(member, tasks_[i]);
    member.block = blocks[i];
    member.from = seen.from;
    member.claims = seen.claims;
    // Beside the right one it is a stranger, which changes nothing.
    if (!seen.report) member.claims.insert(member.claims.end(), seen.refused.begin(), seen.refused.end());
  }
  return evidence;
}

void Desk::order(const std::vector<std::pair<std::size_t, std::size_t>>& flows) {
  ++order_;
  MeasureOrder none;
  none.number = order_;
  orders_.assign(tasks_.size(), none);
  for (const auto& [from, to] : flows) {
    orders_[to].partner = static_cast<int>(from);
    orders_[from].partner = static_cast<int>(to);
    orders_[from].sends = true;
  }
  for (AsyncEvent* event : waiting_) event->wake();
}

std::optional<SentFlow> Desk::flow_of(const MeasureOrder& order) const {
  const std::optional<SentFlow>& flow = seen_[static_cast<std::size_t>(order.partner)].flow;
  return flow && flow->order == order.number ? flow : std::nullopt;
}

asio::awaitable<bool> Desk::wait_for_flow(MeasureOrder order, SteadyTime when) {
  while (!flow_of(order) && runtime_->time->now() < when) {
    const bool is_awake = co_await sent_.wait_until(*runtime_->timers, when);
    if (!is_awake) co_return false;
  }
  co_return true;
}

bool Desk::is_carried_out() const {
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (orders_[i].partner >= 0 && seen_[i].report->order < order_) return false;
  }
  return true;
}

void Desk::announce(const PreflightVerdict& verdict) {
  verdict_ = std::make_shared<const std::string>(write_verdict(verdict));
  for (AsyncEvent* event : waiting_) event->wake();
}

asio::awaitable<void> Desk::wait_until_served(SteadyTime when) {
  // This member itself asks for nothing.
  while (served_ + 1 < count_ && runtime_->time->now() < when) {
    const bool is_awake = co_await all_served_.wait_until(*runtime_->timers, when);
    if (!is_awake) co_return;
  }
}

}  // namespace rollcall::preflight
