#include "meeting/gatherer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "async/group.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/rules/refused_connection.hpp"
#include "rollcall/tcp_probe.hpp"

namespace rollcall::meeting {
namespace {

constexpr std::size_t max_looks_at_once = 32;
constexpr Duration pause_between_looks = std::chrono::seconds(1);
constexpr Duration patience_of_look = std::chrono::seconds(2);

std::vector<std::string> names_of(const std::vector<MeetingTask>& tasks) {
  std::vector<std::string> names;
  names.reserve(tasks.size());
  for (const MeetingTask& task : tasks) names.push_back(task.name);
  return names;
}

// In the words of the barrier: what its port says of a task that has not come.
std::string absence_by(const Result<void>& look, const MeetingTask& task) {
  const std::string at = task.address.to_text();
  if (look) return fmt::format("a program listens at {}, and has not come to the barrier", at);
  if (has_host_refused(look.error())) return fmt::format("not started: its host answers, and nothing listens at {}", at);
  return fmt::format("its host does not answer at {}: {}", at, look.error().what());
}

}  // namespace

Gatherer::Gatherer(std::shared_ptr<Runtime::Impl> runtime, std::vector<MeetingTask> tasks, std::size_t own, std::string run,
                   std::shared_ptr<MemberGuard> guard)
    : runtime_(std::move(runtime)), tasks_(std::move(tasks)), own_(own), run_(std::move(run)), guard_(std::move(guard)),
      keeper_(runtime_, names_of(tasks_)) {}

HttpServer::Handler Gatherer::handler() {
  return [self = shared_from_this()](ServerExchange& exchange) { return serve(self, exchange); };
}

asio::awaitable<void> Gatherer::serve(std::shared_ptr<Gatherer> self, ServerExchange& exchange) { co_await self->answer(exchange); }

HttpServer::BodyRule Gatherer::bodies() {
  return [self = shared_from_this()](const ServerRequest& head) {
    return self->task_of(head.target) ? self->guard_->body_bytes(head, max_hello_bytes) : 1;
  };
}

// Nothing: it is not a path of this run.
std::optional<std::size_t> Gatherer::task_of(std::string_view path) const {
  const std::string members = path_of_members(run_);
  if (!path.starts_with(members)) return std::nullopt;
  return parse_decimal<std::size_t>(path.substr(members.size()), 0, tasks_.size() - 1);
}

asio::awaitable<void> Gatherer::answer(ServerExchange& exchange) {
  const ServerRequest& request = exchange.request();
  const std::optional<std::size_t> task = task_of(request.target);
  if (!task || (request.method != "PUT" && request.method != "GET")) {
    co_await MemberGuard::refuse(exchange, 404);
    co_return;
  }
  std::string body;
  const MemberGuard::Speaker speaker = co_await guard_->hear(exchange, body);
  if (speaker != MemberGuard::Speaker::member) {
    note_refusal(*task, speaker, request.peer);
    co_return;
  }
  const Result<Hello> hello = read_hello(body);
  if (!hello || !guard_->is_for_own(request)) {
    co_await guard_->reply(exchange, hello ? 421 : 400, R"({"error":"not the hello of a task to this one"})");
    co_return;
  }
  const Roll::Heard heard = keeper_.hear(*task, *hello, request.peer);
  if (heard == Roll::Heard::later) {
    co_await guard_->reply(exchange, 404, R"({"error":"another barrier: of the start before; the other tasks have not come again"})");
    co_return;
  }
  if (heard == Roll::Heard::taken) {
    const std::string from = keeper_.roll().place_of(*task);
    co_await guard_->reply(exchange, 409, from);
    co_return;
  }
  co_await keeper_.answer(*task, *hello, exchange, guard_.get());
}

void Gatherer::note_refusal(std::size_t task, MemberGuard::Speaker speaker, const std::string& from) {
  const std::string_view why = refusal_reason(speaker);
  if (!why.empty()) keeper_.note_refusal(task, fmt::format("a program from {} says that it is this task, and {}", from, why));
}

asio::awaitable<std::optional<RollAnswer>> Gatherer::hear_own(const Hello& hello) {
  const Roll::Heard heard = keeper_.hear(own_, hello, "this host");
  if (heard != Roll::Heard::kept) co_return std::nullopt;
  co_await keeper_.wait_for_news(hello, nullptr);
  co_return keeper_.roll().answer();
}

asio::awaitable<Result<void>> Gatherer::look_for(Call& call, std::size_t task) {
  const MeetingTask& looked_for = tasks_[task];
  const SteadyTime until = std::min(saturating_sum(runtime_->time->now(), patience_of_look), call.deadline());
  const Result<void> look = co_await runtime_->tcp->connect(looked_for.address, until);
  if (!look && look.error().code() == Errc::cancelled) co_return look.error();
  if (!keeper_.roll().is_here(task)) keeper_.note_absence(task, absence_by(look, looked_for));
  co_return Result<void>();
}

asio::awaitable<Result<void>> Gatherer::look_for_missing(Call& call) {
  for (;;) {
    const bool is_awake = co_await sleep_until(*runtime_->timers, saturating_sum(runtime_->time->now(), pause_between_looks));
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two looks for missing tasks");
    keeper_.judge();
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < tasks_.size() && missing.size() < max_missing_named; ++i) {
      if (i != own_ && !keeper_.roll().is_here(i) && tasks_[i].address.port) missing.push_back(i);
    }
    std::function<asio::awaitable<Result<void>>(std::size_t)> look = [this, &call, &missing](std::size_t i) {
      return look_for(call, missing[i]);
    };
    const Result<void> looked = co_await join_bounded(missing.size(), max_looks_at_once, std::move(look));
    if (!looked) co_return looked;
  }
}

}  // namespace rollcall::meeting
