// Checks the way to the service: name look-up, connection, TLS, and the clock by the date of the answer.
//
// Decision: one request without a token, sent by the transport itself and not by api_send(). Any status is accepted, since only the new
// connection matters.
#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "call/exchange_trace.hpp"
#include "call/runtime_impl.hpp"
#include "doctor/doctor_checks.hpp"
#include "rollcall/server_certificate.hpp"

namespace rollcall {
namespace {

// Records the duration of each phase, and passes all events to the trace.
class RouteObserver final : public CertificateObserver {
 public:
  RouteObserver(const TimeSource& time, ExchangeObserver* trace) : time_(time), trace_(trace) {}
  void phase_started(Phase phase) noexcept override {
    started_ = time_.now();
    if (trace_) trace_->phase_started(phase);
  }
  void phase_finished(Phase phase) noexcept override {
    took[phase] += time_.now() - started_;
    if (trace_) trace_->phase_finished(phase);
  }
  void connection_chosen(bool reused) noexcept override {
    is_reused = reused;
    if (trace_) trace_->connection_chosen(reused);
  }
  void proxy_chosen(std::string_view name) noexcept override {
    proxy = name;
    if (trace_) trace_->proxy_chosen(name);
  }
  void certificate_seen(const ServerCertificate& seen) noexcept override { certificate = seen; }

  std::map<Phase, Duration> took;
  std::string proxy;
  bool is_reused = false;
  std::optional<ServerCertificate> certificate;

 private:
  const TimeSource& time_;
  ExchangeObserver* trace_;
  SteadyTime started_{};
};

// The step in which the failure occurred.
Phase step_of(const Failure& failure) {
  const Phase phase = failure.phase();
  if (phase == Phase::resolve || phase == Phase::connect || phase == Phase::handshake || phase == Phase::response) return phase;
  return failure.code() == Errc::tls_failed ? Phase::handshake : Phase::connect;
}

DoctorCheck step_check(std::string name, Phase phase, const RouteObserver& seen, const std::optional<Failure>& failure, std::string found) {
  if (failure && step_of(*failure) == phase) return failed_check(std::move(name), *failure);
  if (failure && step_of(*failure) < phase) return skipped_check(std::move(name), "the step before failed");
  if (seen.is_reused) return DoctorCheck(std::move(name), CheckOutcome::pass, "a connection was open already");
  const auto took = seen.took.find(phase);
  if (took == seen.took.end() && phase == Phase::resolve && seen.took.contains(Phase::connect))
    return DoctorCheck(std::move(name), CheckOutcome::pass, std::move(found) + " needs none");
  if (took == seen.took.end()) return skipped_check(std::move(name), "the transport does not report it");
  DoctorCheck check(std::move(name), CheckOutcome::pass, std::move(found));
  check.took = took->second;
  return check;
}

std::string tls_text(const std::optional<ServerCertificate>& certificate, WallTime now) {
  if (!certificate) return "the certificate is accepted";
  std::string text =
      fmt::format("{}, certificate issued by {}", certificate->protocol, certificate->issuer.empty() ? "?" : certificate->issuer);
  if (certificate->valid_until) {
    text += fmt::format(", valid until {}", format_rfc3339(*certificate->valid_until));
    if (*certificate->valid_until > now) text += fmt::format(" ({})", coarse_duration_text(*certificate->valid_until - now));
  }
  return text;
}

DoctorCheck clock_check(const Result<HttpResponse>& answer, bool is_https, WallTime now) {
  constexpr std::string_view advice = "set the clock by NTP: tokens are signed, and certificates judged, by the time";
  if (!is_https) return skipped_check("clock", "no answer over https to compare it with");
  if (!answer) return skipped_check("clock", "there was no answer to compare it with");
  const std::optional<WallTime> date = parse_http_date(answer->headers.get("date").value_or(""), now);
  if (!date) return skipped_check("clock", "the answer has no date to compare it with");
  const Duration ahead = now - *date;
  const Duration skew = ahead < Duration::zero() ? -ahead : ahead;
  if (skew <= std::chrono::seconds(60)) return DoctorCheck("clock", CheckOutcome::pass, "within a minute of the service's");
  const bool is_bad = skew > std::chrono::minutes(5);
  return DoctorCheck("clock", is_bad ? CheckOutcome::fail : CheckOutcome::warning,
                     fmt::format("{} {} the service's", coarse_duration_text(skew), ahead < Duration::zero() ? "behind" : "ahead of"),
                     std::string(advice));
}

}  // namespace

DoctorAnswer check_route(Call& call, DoctorPlanHandle plan) {
  Runtime::Impl& impl = impl_of(call);
  DoctorChecks checks;
  if (!plan->subject || !plan->subject->asks_by_http()) {
    checks.push_back(skipped_check("clock", "the target asks no service to compare it with"));
    co_return checks;
  }
  Result<HttpRequest> request = co_await find_service(call, plan);
  if (!request && request.error().code() == Errc::cancelled) co_return request.error();
  if (!request) {
    checks.push_back(failed_check("name look-up", request.error()));
    co_return checks;
  }
  request->url.target = "/";
  ExchangeTrace trace(call, *request, 1);
  RouteObserver observer(*impl.time, trace.observer());
  ExchangeOptions options;
  options.deadline = call.deadline();
  options.observer = &observer;
  const Result<HttpResponse> answer = co_await impl.http->send(*request, options);
  trace.finish(answer);
  std::optional<Failure> failure;
  if (!answer) failure = answer.error();
  if (failure && failure->code() == Errc::cancelled) co_return *failure;
  const Url& url = request->url;
  const WallTime now = impl.time->wall_now();
  const std::string by = observer.proxy.empty() ? std::string() : fmt::format(", by way of the proxy {}", printable(observer.proxy));
  checks.push_back(step_check("name look-up", Phase::resolve, observer, failure, printable(url.host) + by));
  checks.push_back(step_check("connection", Phase::connect, observer, failure, printable(url.origin()) + by));
  if (url.is_https) {
    checks.push_back(step_check("TLS", Phase::handshake, observer, failure, tls_text(observer.certificate, now)));
  } else {
    checks.push_back(skipped_check("TLS", "plain http, as this machine's own services may have it"));
  }
  if (failure && step_of(*failure) == Phase::response) checks.push_back(failed_check("answer", *failure));
  checks.push_back(clock_check(answer, url.is_https, now));
  co_return checks;
}

}  // namespace rollcall
