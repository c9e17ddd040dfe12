#include "fleet/source.hpp"

#include <asio/post.hpp>

#include "call/call_scope.hpp"
#include "fleet/fleet_core.hpp"
#include "readiness/follow.hpp"

namespace rollcall::fleet {
Runtime::Impl& Source::runtime() const { return impl_of(core_->runtime); }
SteadyTime Source::now() const { return runtime().time->now(); }

void Source::start() {
  const std::shared_ptr<Runtime::Impl>& impl = shared_impl_of(core_->runtime);
  auto script = [self = shared_from_this()](Call& call) { return self->run(call); };
  auto on_end = [self = shared_from_this()](Result<void> ended) {
    if (ended.has_error()) self->core_->abandon(*self, ended.error());
  };
  spawn_result(impl->executor,
               run_call<void>(impl, CallOptions().timeout(for_ever), CallSubject::of_source(key_, "fleet_follow"), std::move(script)),
               signal_.slot(), "a source of the fleet", std::move(on_end));
}

void Source::close() {
  if (!runtime().loop.is_going()) return;
  asio::post(runtime().executor, [self = shared_from_this()] { self->signal_.emit(asio::cancellation_type::terminal); });
}

asio::awaitable<Result<PollOutcome>> Source::poll(Call& inner, std::shared_ptr<TopicState> topic, bool may_be_unconfirmed) {
  const SteadyTime began = impl_of(inner).time->now();
  const auto ask = [&inner, &topic] { return topic->resolver()->do_cluster_status(inner); };
  Result<ClusterStatus> status = co_await guarded<ClusterStatus>(*topic, ask);
  if (!status) {
    const Failure failure = status.error();
    if (failure.code() == Errc::cancelled) co_return failure;
    co_return topic->take_failure(failure, began, may_be_unconfirmed);
  }
  const PollOutcome outcome = co_await topic->take(std::move(*status), began, may_be_unconfirmed);
  if (topic->needs_spec()) {
    const Result<void> asked = co_await ask_spec(inner, topic);
    if (!asked) co_return asked.error();
  }
  co_return outcome;
}

asio::awaitable<Result<void>> Source::ask_spec(Call& inner, std::shared_ptr<TopicState> topic) {
  const std::uint64_t of = topic->status_revision();
  const std::uint64_t generation = topic->known().generation;
  const SteadyTime began = impl_of(inner).time->now();
  const auto ask = [&inner, &topic] { return topic->resolver()->do_cluster_spec(inner); };
  Result<ClusterSpec> spec = co_await guarded<ClusterSpec>(*topic, ask);
  if (spec.has_error() && spec.error().code() == Errc::cancelled) co_return spec.error();
  topic->take_spec(std::move(spec), of, began, generation);
  co_return Result<void>();
}

}  // namespace rollcall::fleet
