#include "lease/elector.hpp"

#include <fmt/format.h>
#include <asio/post.hpp>

#include <algorithm>
#include <utility>

#include "async/spawn.hpp"
#include "base/saturating.hpp"
#include "base/timestamp.hpp"
#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall::lease {
namespace {

constexpr Duration for_centuries = std::chrono::hours(24 * 36500);
constexpr Duration release_patience = std::chrono::seconds(3);

}  // namespace

Elector::Elector(const Runtime& runtime, std::shared_ptr<LeaseEngine> engine, std::string id, Duration ttl)
    : runtime_(shared_impl_of(runtime)), engine_(std::move(engine)), patience_(std::clamp(ttl, min_ttl, max_ttl) / 5),
      candidacy_(std::move(id), ttl) {}

SteadyTime Elector::now() const { return runtime_->time->now(); }

void Elector::start() {
  auto script = [self = shared_from_this()](Call&) { return self->run(); };
  auto on_end = [self = shared_from_this()](const Result<void>&) {};
  spawn_result(runtime_->executor,
               run_call<void>(runtime_, CallOptions().timeout(for_centuries), CallSubject("the lease of the fleet"), std::move(script)),
               signal_.slot(), "the lease of the fleet", std::move(on_end));
}

void Elector::close() {
  if (std::exchange(is_closed_, true)) return;
  candidacy_.leave();
  lead_over_.cancel();
  note_changes();
  left_.wake();
  if (!runtime_->loop.is_going()) return;
  asio::post(runtime_->executor, [self = shared_from_this()] { self->signal_.emit(asio::cancellation_type::terminal); });
}

// Errors: cancelled.
asio::awaitable<Result<void>> Elector::run() {
  for (;;) {
    const Candidacy::Step step = is_closed_ ? Candidacy::Step::wait : candidacy_.step(now());
    if (step == Candidacy::Step::read) {
      co_await read();
    } else if (step != Candidacy::Step::wait) {
      co_await write(step);
    }
    note_changes();
    if (candidacy_.has_left(now())) left_.wake();
    const bool is_awake = co_await news_.wait_until(*runtime_->timers, candidacy_.due(now()));
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while in the contest for the lease");
  }
}

// A question that hangs must leave time for another one.
CallOptions Elector::question_options() const { return CallOptions().timeout(patience_); }

asio::awaitable<void> Elector::read() {
  const SteadyTime began = now();
  auto ask = [engine = engine_](Call& call) { return engine->read(call); };
  Result<LeaseRecord> record = co_await run_call<LeaseRecord>(runtime_, question_options(), CallSubject(engine_->name()), std::move(ask));
  if (!record) {
    on_failure(record.error());
    co_return;
  }
  trouble_.reset();
  candidacy_.on_read(std::move(*record), began, now(), runtime_->uniform());
}

asio::awaitable<void> Elector::write(Candidacy::Step step) {
  using Written = std::optional<LeaseRecord>;
  const SteadyTime began = now();
  auto ask = [engine = engine_, seen = *candidacy_.seen(), next = candidacy_.record_for(step, runtime_->time->wall_now())](Call& call) {
    return engine->write(call, seen, next);
  };
  Result<Written> written = co_await run_call<Written>(runtime_, question_options(), CallSubject(engine_->name()), std::move(ask));
  if (!written) {
    on_failure(written.error());
    co_return;
  }
  trouble_.reset();
  if (*written) {
    candidacy_.on_written(step, std::move(**written), began, now());
  } else {
    candidacy_.on_conflict(now(), runtime_->uniform());
  }
}

void Elector::on_failure(const Failure& failure) {
  candidacy_.on_failure(now(), runtime_->uniform());
  const std::string said = failure.message(), name = engine_->name();
  trouble_.emplace(said.starts_with(name) ? said : fmt::format("{}: {}", name, said), trouble_ ? trouble_->since : now());
}

void Elector::note_changes() {
  const auto on_over = [](void* elector) noexcept {
    static_cast<Elector*>(elector)->note_changes();
    static_cast<Elector*>(elector)->news_.wake();
  };
  const bool does_lead = leads();
  lead_over_.cancel();
  if (does_lead) lead_over_.set(*runtime_->timers, candidacy_.leads_until(), on_over, this);
  Shown present;
  present.leads = does_lead;
  present.has_trouble = trouble_.has_value();
  present.epoch = epoch();
  if (const std::optional<LeaseRecord> holder = leader()) {
    present.holder = holder->holder;
    present.url = holder->url;
  }
  if (present == shown_) return;
  shown_ = std::move(present);
  changed_.wake();
}

std::optional<LeaseRecord> Elector::leader() const {
  const std::optional<LeaseRecord>& seen = candidacy_.seen();
  if (!seen || seen->holder.empty()) return std::nullopt;
  return seen;
}

void Elector::serves_at(std::string url) {
  candidacy_.serves_at(std::move(url));
  news_.wake();
}

void Elector::saw_epoch(std::uint64_t epoch) {
  candidacy_.saw_epoch(epoch, now());
  note_changes();
  news_.wake();
}

asio::awaitable<void> Elector::release() {
  const auto self = shared_from_this();
  candidacy_.leave();
  note_changes();
  news_.wake();
  const SteadyTime end = saturating_sum(now(), release_patience);
  bool goes_on = true;
  while (goes_on && !is_closed_ && !candidacy_.has_left(now()) && now() < end) goes_on = co_await left_.wait_until(*runtime_->timers, end);
}

std::string Elector::trouble() const {
  if (!trouble_) return {};
  return fmt::format("{} (for {})", trouble_->what, coarse_duration_text(saturating_difference(now(), trouble_->since)));
}

}  // namespace rollcall::lease
