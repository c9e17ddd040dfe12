// A daemon for health checks that is asked by gRPC, in virtual time.
#include <catch2/catch.hpp>
#include <deque>

#include "rollcall/check_host.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

class NvhcdOnWire final : public RpcTransport {
 public:
  explicit NvhcdOnWire(std::shared_ptr<TimerQueue> timers) : timers_(std::move(timers)) {}

  asio::awaitable<Result<RpcAnswer>> call(const RpcRequest& request, const RpcOptions& options) override {
    requests.push_back(request);
    max_message_bytes = options.max_message_bytes;
    const bool woken = co_await sleep_until(*timers_, std::min(timers_->now() + after, options.deadline));
    if (!woken) ++cancelled;
    if (!woken) co_return Failure(Errc::cancelled, "the call was cancelled");
    if (timers_->now() >= options.deadline)
      co_return Failure(Errc::response_timeout, "the worker took the call and did not answer in time");
    co_return answer;
  }
  void close() override {}

  Duration after = 1ms;
  Result<RpcAnswer> answer = RpcAnswer();
  std::vector<RpcRequest> requests;
  std::size_t max_message_bytes = 0;
  int cancelled = 0;

 private:
  std::shared_ptr<TimerQueue> timers_;
};

class HostWithNvhcd : public VirtualLoop {
 public:
  HostWithNvhcd()
      : timers(std::make_shared<TimerQueue>(time, io.get_executor())), daemon(std::make_shared<NvhcdOnWire>(timers)), runtime(make()) {}

  asio::awaitable<Result<HostReport>> ask() {
    const std::vector<std::string> words = {"kernel"};
    const std::vector<std::string> others = {"nvhcd:unix:///run/nvhcd.sock --group gpu"};
    HostChecks checks = HostChecks::parse(words).value();
    checks.others = VerdictSource::parse_all(others).value();
    CheckHostOptions options;
    options.checks(checks);
    CallOptions call;
    call.timeout(5min);
    return try_check_host(runtime, std::move(options), call);
  }
  Finding only_finding() {
    const Result<HostReport> report = run(ask());
    REQUIRE(report.has_value());
    REQUIRE(report->findings.size() == 1);
    return report->findings.front();
  }

  std::shared_ptr<TimerQueue> timers;
  std::shared_ptr<NvhcdOnWire> daemon;
  Runtime runtime;

 private:
  Runtime make() {
    RuntimeOptions options;
    options.http = std::make_shared<ScriptedTransport>(timers);
    options.rpc = daemon;
    options.time = time;
    options.environment = fixed_environment({});
    options.files = fixed_files({});
    return Runtime(io.get_executor(), std::move(options));
  }
};

}  // namespace

TEST_CASE("nvhcd is asked once, for a short answer, as NVRx asks it") {
  HostWithNvhcd host;
  RpcAnswer healthy;
  healthy.message = "\x08\x01\x1a\x11{\"fail_count\": 0}";
  host.daemon->answer = healthy;
  const Result<HostReport> report = host.run(host.ask());
  REQUIRE(report.has_value());
  CHECK(report->findings.empty());
  REQUIRE(host.daemon->requests.size() == 1);
  const RpcRequest& request = host.daemon->requests.front();
  CHECK(request.address == "unix:///run/nvhcd.sock");
  CHECK(request.method == "/nvhcd.HealthCheckService/RunHealthCheck");
  CHECK_FALSE(request.is_tls);
  CHECK(request.message == "\x0a\x0a--no-slurm\x0a\x07--group\x0a\x03gpu");
  CHECK(host.daemon->max_message_bytes == 1U << 20);
}

TEST_CASE("nvhcd has 30 s") {
  HostWithNvhcd host;
  host.daemon->after = 31s;
  const Finding finding = host.only_finding();
  CHECK(finding.severity == FindingSeverity::warning);
  CHECK(finding.text == "nvhcd gave no verdict: unix:///run/nvhcd.sock did not answer within 30.0 s");
}

TEST_CASE("a call that nvhcd resets or refuses is no verdict, and ends no preflight") {
  HostWithNvhcd host;
  host.daemon->answer = Failure(Errc::cancelled, "unix:///run/nvhcd.sock: the call was cancelled");
  CHECK(host.only_finding().text == "nvhcd gave no verdict: unix:///run/nvhcd.sock: the call was cancelled");
  host.daemon->answer = RpcAnswer(RpcStatus::unimplemented, "unknown service");
  CHECK(host.only_finding().text ==
        "nvhcd gave no verdict: unix:///run/nvhcd.sock answered RunHealthCheck with UNIMPLEMENTED: unknown service");
}

TEST_CASE("a preflight that is cancelled takes its call to nvhcd along") {
  HostWithNvhcd host;
  host.daemon->after = 20s;
  auto asked = host.start(host.ask());
  REQUIRE(host.daemon->requests.size() == 1);
  asked.cancel();
  host.poll();
  REQUIRE(asked.done());
  check_failure(asked.value(), Errc::cancelled, "cancelled");
  CHECK(host.daemon->cancelled == 1);
}
