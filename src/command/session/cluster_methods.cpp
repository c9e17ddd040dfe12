// `resolve`, `status`, `wait`: one cluster of all targets.
#include "async/group.hpp"
#include "command/ask/spec_of_each.hpp"
#include "command/session/methods.hpp"
#include "render/render_cluster.hpp"
#include "render/render_status.hpp"

namespace rollcall::serve {
namespace {

using ResolverPtr = std::shared_ptr<ClusterResolver>;
using SpecAnswers = std::vector<std::optional<Result<ClusterSpec>>>;

Answer resolve_together(Asking asking, ResolverPtr resolver, CallOptions options) {
  const Result<ClusterSpec> spec = co_await resolver->try_cluster_spec(std::move(options));
  if (!spec) co_return spec.error();
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  co_return without_end(render_json(*spec));
}

// Each target is a question of its own; targets that cannot be asked have their failure already.
Answer resolve_each(Asking asking, std::vector<command::ListedTarget> targets, SpecAnswers answers, std::vector<ResolverPtr> resolvers,
                    CallOptions options) {
  std::vector<asio::awaitable<Result<ClusterSpec>>> questions;
  for (const ResolverPtr& resolver : resolvers) {
    if (resolver) questions.push_back(resolver->try_cluster_spec(options));
  }
  std::vector<Result<ClusterSpec>> found = co_await gather(std::move(questions));
  auto next = found.begin();
  for (std::optional<Result<ClusterSpec>>& answer : answers) {
    if (answer) continue;
    if (!*next && next->error().code() == Errc::cancelled) co_return next->error();
    answer.emplace(std::move(*next++));
  }
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  const command::SpecOfEach each = command::put_answers_together(targets, answers);
  co_return without_end(render_json(each.spec, each.failed));
}

Answer look_at(Asking asking, ResolverPtr resolver, CallOptions options) {
  const Result<ClusterStatus> status = co_await resolver->try_cluster_status(std::move(options));
  if (!status) co_return status.error();
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  co_return "{\"status\":" + render_status_json(*status) + "}";
}

Answer wait_for(Asking asking, ResolverPtr resolver, Readiness until, WaitOptions options) {
  const Result<ClusterStatus> status = co_await try_wait_until_ready(std::move(resolver), until, std::move(options));
  if (!status) co_return status.error();
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  co_return "{\"status\":" + render_status_json(*status) + "}";
}

}  // namespace

Result<Answer> begin_resolve(Asking asking, Question& question) {
  if (question.is_partial) {
    if (question.lookup == TpuLookup::list) {
      return Failure(Errc::invalid_argument, "partial asks each target on its own, list asks for all at once: they exclude each other");
    }
    std::vector<command::ListedTarget> targets = Asking::listed(question);
    SpecAnswers answers(targets.size());
    std::vector<ResolverPtr> resolvers(targets.size());
    for (std::size_t i = 0; i < targets.size(); ++i) {
      Result<ResolverPtr> made = command::make_listed(asking.runtime(), targets[i], asking.arguments());
      if (made) resolvers[i] = std::move(*made);
      if (!made) answers[i].emplace(made.error());
    }
    return resolve_each(asking, std::move(targets), std::move(answers), std::move(resolvers), asking.call_options(question));
  }
  Result<ResolverPtr> resolver = asking.make_cluster(question);
  if (!resolver) return resolver.error();
  return resolve_together(asking, std::move(*resolver), asking.call_options(question));
}

Result<Answer> begin_status(Asking asking, Question& question) {
  Result<ResolverPtr> resolver = asking.make_cluster(question);
  if (!resolver) return resolver.error();
  return look_at(asking, std::move(*resolver), asking.call_options(question));
}

Result<Answer> begin_wait(Asking asking, Question& question) {
  Result<ResolverPtr> resolver = asking.make_cluster(question);
  if (!resolver) return resolver.error();
  WaitOptions options;
  options.timeout(question.timeout).members(question.members).request_options(asking.call_options(question));
  options.for_existence(question.is_for_existence).for_start(question.is_for_start);
  options.fail_if_unschedulable(question.fails_if_unschedulable);
  if (question.queue_timeout) options.queue_timeout(*question.queue_timeout);
  if (question.provision_timeout) options.provision_timeout(*question.provision_timeout);
  options.on_progress([asking, is_sent = question.wants_progress](const WaitProgress& progress) mutable {
    asking.progress(render_progress_json(progress), is_sent);
  });
  return wait_for(asking, std::move(*resolver), question.until, std::move(options));
}

}  // namespace rollcall::serve
