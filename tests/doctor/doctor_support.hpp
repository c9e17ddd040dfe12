// A machine for doctor(): variables, files, and servers that report the steps of a connection.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "async/timer_queue.hpp"
#include "base/timestamp.hpp"
#include "rollcall/doctor.hpp"
#include "rollcall/server_certificate.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "support/moded_files.hpp"
#include "support/result.hpp"
#include "support/scripted_transport.hpp"

namespace rollcall::testing {

/// Answers by `respond`, after it has reported a new connection to the observer. A step that fails is the last one.
class ObservedTransport final : public HttpTransport {
 public:
  std::function<Result<HttpResponse>(const HttpRequest&)> respond;
  std::optional<Failure> way_fails;
  std::vector<HttpRequest> requests;

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
    requests.push_back(request);
    tell(options.observer);
    if (way_fails) co_return *way_fails;
    co_return respond(request);
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions&) override {
    requests.push_back(request);
    Result<HttpResponse> answer = respond(request);
    if (!answer) co_return answer.error();
    std::unique_ptr<HttpStream> stream = std::make_unique<ScriptedTransport::Stream>(std::move(*answer));
    co_return stream;
  }
  void close() override {}

 private:
  void tell(ExchangeObserver* observer) const {
    if (!observer) return;
    observer->connection_chosen(false);
    for (const Phase phase : {Phase::resolve, Phase::connect, Phase::handshake}) {
      observer->phase_started(phase);
      observer->phase_finished(phase);
      if (way_fails && way_fails->phase() == phase) return;
    }
    if (auto* const wanted = dynamic_cast<CertificateObserver*>(observer)) {
      ServerCertificate certificate;
      certificate.issuer = "Google Trust Services (WR2)";
      certificate.protocol = "TLSv1.3";
      wanted->certificate_seen(certificate);
    }
  }
};

class DoctorLoop : public VirtualLoop {
 public:
  using Variables = std::map<std::string, std::string, std::less<>>;
  Variables variables = {
      {"GOOGLE_CLOUD_PROJECT", "p"}, {"CLOUDSDK_COMPUTE_ZONE", "z"}, {"ROLLCALL_ACCESS_TOKEN", "given-token-0123456789"}};
  Variables files;
  std::optional<bool> are_files_open;  ///< to others
  std::optional<ProxySettings> proxy;  ///< absent: by the variables
  std::shared_ptr<ObservedTransport> transport = std::make_shared<ObservedTransport>();
  std::shared_ptr<LogSink> log;
  Duration clock_ahead{0};  ///< how far this machine is ahead of the service's clock

  DoctorLoop() {
    transport->respond = [this](const HttpRequest& request) -> Result<HttpResponse> {
      for (const auto& [part, answer] : answers) {
        if (request.url.without_query().find(part) != std::string::npos) return answer;
      }
      HttpResponse response = ScriptedTransport::reply(request.url.target == "/" ? 404 : 200, "{}");
      response.headers.add("Date", format_http_date(time->wall_now() - clock_ahead));
      return response;
    };
  }

  /// Answers of servers by a part of the URL; checked first.
  std::vector<std::pair<std::string, Result<HttpResponse>>> answers = {
      {"metadata", Failure(Errc::unreachable, "nothing listens there").with_phase(Phase::connect)},
      {":testIamPermissions", ScriptedTransport::reply(200, R"({"permissions":["tpu.nodes.get","tpu.nodes.list"]})")}};
  void answer(std::string part, Result<HttpResponse> what) { answers.insert(answers.begin(), std::pair(std::move(part), std::move(what))); }
  void answer(std::string part, int status, std::string body = "{}") {
    answer(std::move(part), ScriptedTransport::reply(status, std::move(body)));
  }

  Result<DoctorReport> examine(DoctorOptions options = {}) {
    RuntimeOptions parts;
    parts.http = transport;
    parts.time = time;
    parts.random_seed = 1;
    parts.network.proxy = proxy;
    parts.environment = fixed_environment(variables);
    parts.files = std::make_shared<ModedFiles>(files, are_files_open);
    parts.log = log;
    const Runtime runtime(io.get_executor(), std::move(parts));
    return run(try_doctor(runtime, std::move(options)));
  }
  /// The first check of that name.
  DoctorCheck check(const std::string& name, DoctorOptions options = {}) {
    const DoctorReport report = value_of(examine(std::move(options)));
    for (const DoctorCheck& one : report.checks) {
      if (one.name == name) return one;
    }
    FAIL("there is no check " + name);
    return {};
  }
};

inline void check_found(const DoctorCheck& check, CheckOutcome outcome, const std::string& part, const std::string& hint = {}) {
  INFO(check.name);
  CHECK(to_string(check.outcome) == to_string(outcome));
  CHECK_THAT(check.found, Catch::Contains(part));
  CHECK_THAT(check.hint, Catch::Contains(hint));
}

}  // namespace rollcall::testing
