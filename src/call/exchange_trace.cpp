#include "call/exchange_trace.hpp"

#include <fmt/format.h>

#include "call/rpc_client.hpp"

namespace rollcall {

ExchangeTrace::ExchangeTrace(Call& call, const HttpRequest& request, int attempt)
    : impl_(impl_of(call)), is_reported_(impl_.logs_requests()), call_(call.id()), exchange_(impl_.next_exchange_id()), attempt_(attempt),
      host_(request.url.host) {
  if (!is_reported_) return;
  subject_ = fmt::format("{} {}", to_string(request.method), request.url.without_query());
  authority_ = request.url.authority();
  impl_.emit(event(EventKind::attempt_started));
}

ExchangeTrace::ExchangeTrace(Call& call, const RpcRequest& request)
    : impl_(impl_of(call)), is_reported_(impl_.logs_requests()), call_(call.id()), exchange_(impl_.next_exchange_id()), attempt_(1),
      host_(request.address) {
  if (!is_reported_) return;
  subject_ = fmt::format("{} {}", method_name(request), request.address);
  authority_ = request.address;
  impl_.emit(event(EventKind::attempt_started));
}

Event ExchangeTrace::event(EventKind kind) const noexcept {
  Event e;
  e.kind = kind;
  e.call = call_;
  e.exchange = exchange_;
  e.attempt = attempt_;
  e.subject = subject_;
  e.host = authority_;
  return e;
}

void ExchangeTrace::finish(int status, const Failure* failure) {
  Event e = event(EventKind::attempt_finished);
  e.status = status;
  e.failure = failure;
  impl_.emit(e);
}

void ExchangeTrace::finish(const Result<HttpResponse>& answer) {
  if (!is_reported_) return;
  if (answer) return finish(answer->status, nullptr);
  const Failure failure = answer.error();
  finish(0, &failure);
}

void ExchangeTrace::finish(const Result<std::string>& message) {
  if (!is_reported_) return;
  if (message) return finish(0, nullptr);
  const Failure failure = message.error();
  finish(0, &failure);
}

void ExchangeTrace::phase_started(Phase phase) noexcept {
  Event e = event(EventKind::phase_started);
  e.phase = phase;
  impl_.emit(e);
}

void ExchangeTrace::phase_finished(Phase phase) noexcept {
  Event e = event(EventKind::phase_finished);
  e.phase = phase;
  impl_.emit(e);
}

void ExchangeTrace::connection_chosen(bool is_reused) noexcept {
  if (!is_reused) return;
  Event e = event(EventKind::connection_reused);
  e.subject = host_;
  impl_.emit(e);
}

void ExchangeTrace::proxy_chosen(std::string_view proxy) noexcept {
  Event e = event(EventKind::proxy_chosen);
  e.subject = proxy;
  impl_.emit(e);
}

}  // namespace rollcall
