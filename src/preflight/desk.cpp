#include "preflight/desk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/at_end.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "preflight/prober.hpp"

namespace rollcall::preflight {
namespace {

constexpr std::string_view all_preflights = "/v1/preflight/";
constexpr std::size_t max_claims = 8;
// An answer to a report waits that long for the verdict. Then the member asks again.
constexpr Duration patience_for_verdict = std::chrono::seconds(10);

HttpResponse desk_answer(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
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
           std::string incarnation, bool gathers)
    : runtime_(std::move(runtime)), tasks_(std::move(tasks)), own_(own), run_(std::move(run)), incarnation_(std::move(incarnation)),
      gathers_(gathers), seen_(tasks_.size()) {}

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

asio::awaitable<void> Desk::answer(ServerExchange& exchange) {
  const ServerRequest& request = exchange.request();
  const std::vector<std::string_view> parts = split(request.target, '/');  // "", v1, preflight, RUN, kind, place, from
  const bool is_known = parts.size() == 7 && parts[2] == "preflight" && request.method == "PUT";
  const auto from = is_known ? parse_decimal<std::size_t>(parts[6]) : std::nullopt;
  if (!from) {
    co_await exchange.reply(desk_answer(404, R"({"error":"a preflight of rollcall"})"));
    co_return;
  }
  const std::string_view kind = parts[4];
  const bool is_of_run = parts[3] == run_ && *from < tasks_.size();
  if (!is_of_run || (kind != "report" && kind != "done")) {
    if (is_of_run) seen_[*from].was_heard = true;
    if (is_of_run && on_probe_) std::exchange(on_probe_, nullptr)();
    co_await answer_probe(exchange, is_of_run, kind == "in");
    co_return;
  }
  if (kind == "done") {
    note_served(*from);
    co_await exchange.reply(desk_answer(200, "{}"));
    co_return;
  }
  if (!gathers_) {
    co_await exchange.reply(desk_answer(404, R"({"error":"this member gathers no reports"})"));
    co_return;
  }
  co_await answer_report(exchange, *from);
}

// A program that does not know the run hears that it is another one, and not its name, with which it could report.
asio::awaitable<void> Desk::answer_probe(ServerExchange& exchange, bool is_of_run, bool is_large) {
  ProbeAnswer answer;
  answer.run = is_of_run ? run_ : std::string(run_.size(), '0');
  answer.members = static_cast<int>(tasks_.size());
  answer.place = static_cast<int>(own_);
  answer.incarnation = is_of_run ? incarnation_ : std::string(incarnation_.size(), '0');
  if (is_of_run && is_large) answer.filling.assign(large_message_bytes, 'x');
  co_await exchange.reply(desk_answer(200, write_probe_answer(answer)));
}

asio::awaitable<void> Desk::answer_report(ServerExchange& exchange, std::size_t place) {
  Result<MemberReport> report = read_report(exchange.request().body, tasks_.size());
  if (!report) {
    co_await exchange.reply(desk_answer(400, R"({"error":"not the report of a member"})"));
    co_return;
  }
  take(place, std::move(*report), exchange.request().peer);
  co_await wait_for_verdict(exchange);
  if (!verdict_) {
    co_await exchange.reply(desk_answer(202, R"({"error":"no verdict yet"})"));
    co_return;
  }
  const bool is_sent = co_await exchange.reply(desk_answer(200, ""), verdict_);
  // It has one from another gatherer, or is gone.
  if (!is_sent || exchange.is_closed()) note_served(place);
}

void Desk::note_served(std::size_t place) {
  if (seen_[place].report && !std::exchange(seen_[place].has_verdict, true)) ++served_;
  all_served_.wake();
}

asio::awaitable<void> Desk::wait_for_verdict(ServerExchange& exchange) {
  if (verdict_) co_return;
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
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const Seen& seen = seen_[i];
    EvidenceMember& member = evidence.members.emplace_back();
    if (seen.report) member = seen.report->member;
    member.state = seen.report ? EvidenceState::reported : seen.was_heard ? EvidenceState::joined : EvidenceState::absent;
    set_task(member, tasks_[i]);
    member.from = seen.from;
    member.claims = seen.claims;
  }
  return evidence;
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
