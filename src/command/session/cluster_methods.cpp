// `resolve`, `status`, `why`, `wait`: one cluster of all targets.
#include "command/ask/ask_each_target.hpp"
#include "command/ask/spec_of_each.hpp"
#include "command/session/methods.hpp"
#include "render/render_cluster.hpp"
#include "render/render_status.hpp"
#include "render/render_why.hpp"
#include "rollcall/cluster_verdict.hpp"

namespace rollcall::serve {
namespace {

using ResolverPtr = std::shared_ptr<ClusterResolver>;

Answer resolve_together(Asking asking, ResolverPtr resolver, CallOptions options) {
  const Result<ClusterSpec> spec = co_await resolver->try_cluster_spec(std::move(options));
  if (!spec) co_return spec.error();
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  co_return without_end(render_json(*spec));
}

Answer resolve_each(Asking asking, std::vector<command::ListedTarget> targets,
                    asio::awaitable<Result<std::vector<Result<ClusterSpec>>>> question) {
  Result<std::vector<Result<ClusterSpec>>> answers = co_await std::move(question);
  if (!answers) co_return answers.error();
  for (const Result<ClusterSpec>& answer : *answers) {
    if (!answer && answer.error().code() == Errc::cancelled) co_return answer.error();
  }
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  const command::SpecOfEach each = command::put_answers_together(targets, std::move(*answers));
  co_return without_end(render_json(each.spec, each.failed));
}

Answer look_at(Asking asking, ResolverPtr resolver, CallOptions options) {
  const Result<ClusterStatus> status = co_await resolver->try_cluster_status(std::move(options));
  if (!status) co_return status.error();
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  co_return "{\"status\":" + render_status_json(*status) + "}";
}

Answer explain_why(Asking asking, ResolverPtr resolver, Readiness until, int members, CallOptions options) {
  Result<ExplainedStatus> explained = co_await resolver->try_explained_status(std::move(options));
  if (!explained) co_return explained.error();
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  const ClusterVerdict verdict = judge_cluster(std::move(explained->status), until, members, resolver->describe());
  co_return render_why_json(verdict, explained->unread);
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
    const auto ask = [options = asking.call_options(question)](const std::string&, const ResolverPtr& resolver) {
      return resolver->try_cluster_spec(options);
    };
    auto resolvers = command::make_each(asking.runtime(), targets, asking.arguments());
    return resolve_each(asking, targets, command::ask_each_target<ClusterSpec>(targets, std::move(resolvers), ask, nullptr));
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

Result<Answer> begin_why(Asking asking, Question& question) {
  Result<ResolverPtr> resolver = asking.make_cluster(question);
  if (!resolver) return resolver.error();
  return explain_why(asking, std::move(*resolver), question.until, question.members, asking.call_options(question));
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
