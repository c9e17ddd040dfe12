#include "call/call_scope.hpp"

#include <fmt/format.h>

#include "base/exceptions.hpp"
#include "base/saturating.hpp"
#include "call/deadline_failure.hpp"
#include "call/rules/classify_status.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall {

std::string CallSubject::text() const { return resolver_ ? fmt::format("{} {}", resolver_->describe(), member_) : text_; }

CallSubject CallSubject::of_source(const std::string& source, std::string_view operation) {
  CallSubject subject(fmt::format("{} {}", source, operation));
  subject.source_bytes_ = source.size();
  return subject;
}

void CallScope::emit(EventKind kind, const Failure* failure) {
  if (!is_reported_) return;
  const std::string subject = subject_.text();
  runtime_->emit({.kind = kind,
                  .call = call.id(),
                  .subject = subject,
                  .failure = failure,
                  .operation = std::string_view(subject).substr(subject.rfind(' ') + 1),
                  .source = subject_.source()});
}

std::optional<Failure> CallScope::begin() {
  is_reported_ = runtime_->logs_requests();
  emit(EventKind::call_started, nullptr);
  std::optional<Failure> refused;
  if (runtime_->is_closed) {
    refused.emplace(Errc::cancelled, subject_.text() + ": the runtime is closed");
  } else if (call.options().timeout().count() <= 0) {
    refused.emplace(Errc::invalid_argument, subject_.text() + ": the time-out must be positive");
  } else if (runtime_->limits.requests_in_flight_per_host == 0 || runtime_->limits.rpcs_in_flight == 0) {
    refused.emplace(Errc::invalid_argument,
                    subject_.text() + ": Limits::requests_in_flight_per_host and rpcs_in_flight must be positive: 0 would wait for ever");
  }
  if (refused || is_cancelled_) {
    if (!refused) refused.emplace(Errc::cancelled, subject_.text() + ": cancelled before it began");
    end(&*refused);
    return refused;
  }
  runtime_->open_operations.push_back(*this);
  timer_.set(
      *runtime_->timers, call.deadline(),
      [](void* self) noexcept {
        auto* scope = static_cast<CallScope*>(self);
        scope->stop(state_of(scope->call).is_expired);
      },
      this);
  return std::nullopt;
}

void CallScope::stop(bool& why) {
  if (is_ended_) return;
  why = true;
  const auto keep_alive = shared_from_this();
  signal.emit(asio::cancellation_type::terminal);
}

void CallScope::cancel_from_outside() {
  asio::dispatch(runtime_->executor, [self = shared_from_this()] { self->stop(self->is_cancelled_); });
}

namespace {

std::string hint_of_late(const CallState& state) {
  if (state.current_phase == Phase::resolve)
    return "look at the name servers that are asked (those of /etc/resolv.conf, unless others are named), and whether the name needs a VPN "
           "or a proxy";
  return "raise the time-out if the service is only slow";
}

}  // namespace

Failure deadline_failure(const CallState& state, const std::string& subject, Duration timeout, const std::string& hint) {
  if (!state.unfinished.empty()) {
    return Failure(Errc::deadline_exceeded, state.unfinished)
        .with_hint(hint.empty() ? "raise the time-out, or look after what is missing" : hint);
  }
  const std::string late = fmt::format("no answer within the deadline of {:g} s", std::chrono::duration<double>(timeout).count());
  // The last trouble contains the subject; naming the call as well would repeat it.
  const bool has_story = !state.last_trouble.empty();
  return Failure(Errc::deadline_exceeded,
                 has_story ? fmt::format("{}; last: {}", late, state.last_trouble) : fmt::format("{}: {}", subject, late))
      .with_hint(hint.empty() ? hint_of_late(state) : hint);
}

Failure CallScope::conclude(std::optional<Failure> failure, const std::error_code& error) {
  const CallState& state = state_of(call);
  const auto elapsed = saturating_difference(runtime_->time->now(), call.started());
  // A script that was stopped reports a cancelled operation; only the scope knows why it was stopped.
  const bool was_stopped = !failure || failure->code() == Errc::cancelled || failure->code() == Errc::deadline_exceeded;
  if (was_stopped) {
    const std::string subject = subject_.text();
    Failure stopped;
    if (is_cancelled_) {
      stopped = Failure(Errc::cancelled, fmt::format("{}: cancelled", subject));
    } else if (state.is_expired) {
      stopped = deadline_failure(state, subject, call.options().timeout(), failure ? failure->hint() : std::string());
    } else if (failure) {
      stopped = *failure;
    } else {
      stopped = Failure(means(error, std::errc::operation_canceled) ? Errc::cancelled : Errc::unreachable,
                        fmt::format("{}: {}", subject, error.message()));
    }
    if (failure) {
      if (stopped.phase() == Phase::none) stopped.with_phase(failure->phase());
      if (stopped.target().empty()) stopped.with_target(failure->target());
    }
    if (stopped.phase() == Phase::none && state.is_expired) stopped.with_phase(state.current_phase);
    if (stopped.target().empty()) stopped.with_target(state.current_target);
    if (stopped.attempts() == 0) stopped.with_attempts(state.attempts);
    if (stopped.last_status() == 0) stopped.with_last_status(state.last_status);
    failure = std::move(stopped);
  }
  // The elapsed time is of interest only after attempts.
  if (was_stopped || failure->attempts() > 0) failure->with_elapsed(elapsed);
  // For a file without read permission no request was sent, so doctor() need not check a service.
  const bool is_refused =
      failure->code() == Errc::unauthenticated || (failure->code() == Errc::permission_denied && failure->attempts() > 0);
  return is_refused ? point_to_doctor(std::move(*failure)) : std::move(*failure);
}

Failure CallScope::memory_failure() const { return out_of_memory(subject_.text()); }

void CallScope::end(const Failure* failure) {
  is_ended_ = true;
  timer_.cancel();
  if (is_linked()) unlink();
  emit(EventKind::call_finished, failure);
}

}  // namespace rollcall
