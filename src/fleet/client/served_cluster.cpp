#include "fleet/client/served_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "async/async_event.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "base/timestamp.hpp"
#include "call/runtime_impl.hpp"
#include "readiness/follow.hpp"

namespace rollcall {
namespace {

template <class Document>
using ReadBody = Result<Document> (*)(std::string_view json, const ParseLimits& limits);

// The result of a question; absent: the caller has to ask the cloud itself.
template <class Document>
using Asked = Result<std::optional<Document>>;

// Reads an answer and checks its age.
template <class Document>
std::optional<Document> read_answer(Call& call, RemoteServers& servers, ServerAnswer& answer, ReadBody<Document> read) {
  if (answer.sent != SentState::document) return std::nullopt;
  Result<Document> document = read(answer.body, served_limits(impl_of(call)));
  if (!document) {
    answer.sent = SentState::silence;
    answer.failure = document.error();
    return std::nullopt;
  }
  const Duration age = answer.age.value();
  if (age <= servers.options().max_age) return std::move(*document);
  answer.sent = SentState::patience;
  answer.failure = too_old(age);
  return std::nullopt;
}

// One question of a call: asks the servers in turn, again and again as the call's policy allows, until it is time to ask the cloud.
template <class Document>
asio::awaitable<Asked<Document>> ask_once(Call& call, std::shared_ptr<RemoteServers> servers, std::string who,
                                          fleet::FleetQuestion question, ReadBody<Document> read) {
  Runtime::Impl& impl = impl_of(call);
  ExponentialBackoff backoff(std::chrono::seconds(1), std::chrono::seconds(30));
  std::size_t asked = 0;  // in this round
  for (int rounds = 0;;) {
    const std::size_t server = servers->current();
    ServerAnswer answer = co_await servers->ask(call, server, question);
    std::optional<Document> document = read_answer<Document>(call, *servers, answer, read);
    if (answer.sent == SentState::silence) {
      servers->note_failure(call, server, answer.failure);
    } else if (answer.sent != SentState::refusal) {
      servers->note_answer(call, server);
    }
    if (document) co_return std::move(document);
    if (answer.sent == SentState::refusal || answer.sent == SentState::failure) co_return answer.failure;
    const bool has_others = servers->count() > 1;
    if (answer.sent == SentState::patience && has_others) servers->note_move(call, server);
    const bool is_unanswered = answer.sent == SentState::silence || answer.sent == SentState::patience;
    if (is_unanswered && ++asked < servers->count()) continue;
    asked = 0;
    const SteadyTime now = impl.time->now();
    SteadyTime direct = servers->loss().direct_from();
    const std::optional<Duration> between_polls = servers->loss().direct_pause();
    if (between_polls) direct = std::max(direct, servers->direct_polls().next(question));
    if (direct <= now) {
      if (between_polls) servers->direct_polls().note(call, question, saturating_sum(now, *between_polls));
      co_return std::optional<Document>();
    }
    const Duration pause = std::max(with_jitter(backoff.next(), 0.5, 0.5, impl.uniform()), answer.retry_after.value_or(Duration(0)));
    const SteadyTime next = std::min(saturating_sum(now, pause), direct);
    const bool is_over = next >= call.deadline() || rounds++ >= call.options().retry().max_retries();
    if (is_over) co_return answer.sent == SentState::silence ? servers->lost(who, answer.failure) : answer.failure;
    const bool is_awake = co_await sleep_until(*impl.timers, next);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while waiting for a server");
  }
}

}  // namespace

Failure too_old(Duration age) {
  return Failure(Errc::unavailable, fmt::format("the service's data is {} old", coarse_duration_text(age)))
      .with_hint("ROLLCALL_MAX_AGE says how old it may be");
}

asio::awaitable<Result<ClusterSpec>> ServedCluster::spec(Call& call, std::optional<std::string> job) {
  Result<Target> target = co_await common_target(call, target_, std::move(job));
  if (!target) co_return target.error();
  fleet::FleetQuestion question(std::move(*target), fleet::View::spec);
  Asked<fleet::SpecDocument> asked =
      co_await ask_once<fleet::SpecDocument>(call, servers_, local_->describe(), std::move(question), &fleet::parse_spec_body);
  if (!asked) co_return asked.error();
  if (*asked) co_return std::move((*asked)->spec);
  co_return co_await local_->do_cluster_spec(call);
}

asio::awaitable<Result<ClusterStatus>> ServedCluster::status(Call& call, std::optional<std::string> job) {
  Result<Target> target = co_await common_target(call, target_, std::move(job));
  if (!target) co_return target.error();
  fleet::FleetQuestion question(std::move(*target), fleet::View::status);
  Asked<fleet::StatusDocument> asked =
      co_await ask_once<fleet::StatusDocument>(call, servers_, local_->describe(), std::move(question), &fleet::parse_status_body);
  if (!asked) co_return asked.error();
  if (*asked) {
    ClusterStatus status = std::move((*asked)->status);
    status.generation = (*asked)->generation;
    co_return status;
  }
  co_return co_await local_->do_cluster_status(call);
}

asio::awaitable<Result<void>> ServedCluster::follow(Call& call, std::optional<std::string> job, StatusObserver& observer) {
  Runtime::Impl& impl = impl_of(call);
  ExponentialBackoff backoff(std::chrono::seconds(1), std::chrono::seconds(30));
  PollPatience patience;
  for (;;) {
    Result<Target> target = co_await common_target(call, target_, job);
    if (target) co_return co_await follow_served(call, servers_, local_, std::move(*target), observer);
    if (patience.is_over(target.error())) co_return target.error();
    observer.report_trouble(target.error());
    const bool is_awake = co_await sleep_until(*impl.timers, saturating_sum(impl.time->now(), backoff.next()));
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while looking for project and zone");
  }
}

}  // namespace rollcall
