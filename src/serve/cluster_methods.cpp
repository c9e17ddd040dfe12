// `resolve`, `status`, `wait`: one cluster of all targets.
#include "command/show/followed_text.hpp"
#include "json/json_text.hpp"
#include "render/render_cluster.hpp"
#include "serve/methods.hpp"

namespace rollcall::serve {
namespace {

using ResolverPtr = std::shared_ptr<ClusterResolver>;

std::string without_end(std::string line) {
  if (line.ends_with('\n')) line.pop_back();
  return line;
}

Answer resolve_together(ResolverPtr resolver, CallOptions options) {
  const Result<ClusterSpec> spec = co_await resolver->try_cluster_spec(std::move(options));
  if (!spec) co_return spec.error();
  co_return without_end(render_json(*spec));
}

Answer look_at(ResolverPtr resolver, CallOptions options) {
  const Result<ClusterStatus> status = co_await resolver->try_cluster_status(std::move(options));
  if (!status) co_return status.error();
  co_return "{\"status\":" + tools::status_json(*status) + "}";
}

Answer wait_for(ResolverPtr resolver, Readiness until, WaitOptions options) {
  const Result<ClusterStatus> status = co_await try_wait_until_ready(std::move(resolver), until, std::move(options));
  if (!status) co_return status.error();
  co_return "{\"status\":" + tools::status_json(*status) + "}";
}

}  // namespace

Result<Answer> begin_resolve(Asking asking, Question& question) {
  Result<ResolverPtr> resolver = asking.make_cluster(question);
  if (!resolver) return resolver.error();
  return resolve_together(std::move(*resolver), asking.call_options(question));
}

Result<Answer> begin_status(Asking asking, Question& question) {
  Result<ResolverPtr> resolver = asking.make_cluster(question);
  if (!resolver) return resolver.error();
  return look_at(std::move(*resolver), asking.call_options(question));
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
  options.on_progress([asking, is_told = question.wants_progress](const WaitProgress& progress) mutable {
    asking.progress(tools::wait_json(progress), is_told);
  });
  return wait_for(std::move(*resolver), question.until, std::move(options));
}

}  // namespace rollcall::serve
