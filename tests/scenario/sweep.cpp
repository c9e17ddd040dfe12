#include "scenario/sweep.hpp"

#include <fmt/format.h>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>

#include "base/exceptions.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall::testing {
namespace {

class Fault {
 public:
  std::string_view name;
  Failure failure;
  bool is_transient;
};

std::vector<Fault> faults() {
  const auto failure = [](Errc code, Phase phase) { return Failure(code, "planted fault").with_phase(phase); };
  return {
      {"refused", failure(Errc::unreachable, Phase::connect), true},
      {"reset", failure(Errc::unreachable, Phase::response), true},
      {"unknown host", failure(Errc::unknown_host, Phase::resolve), true},
      {"connect time-out", failure(Errc::connect_timeout, Phase::connect), true},
      {"handshake time-out", failure(Errc::handshake_timeout, Phase::handshake), true},
      {"response time-out", failure(Errc::response_timeout, Phase::response), true},
      {"tls", failure(Errc::tls_failed, Phase::handshake), false},
      {"malformed", failure(Errc::malformed_response, Phase::response), false},
      {"too large", failure(Errc::limit_exceeded, Phase::response), false},
  };
}

// A coroutine that is cancelled before its first turn never runs: Asio throws instead.
Failure failure_of(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::system_error& thrown) {
    if (means(thrown.code(), std::errc::operation_canceled)) return Failure(Errc::cancelled, "cancelled before it began");
    return Failure(Errc::invalid_argument, thrown.what());
  }
}

// One run of a scenario in an environment of its own.
class Run {
 public:
  explicit Run(const Scenario& scenario) : scenario_(scenario) {
    cloud_ = sim::Cloud::parse(scenario.cloud, scenario.name).value();
    transport_ = sim::make_memory_transport(cloud_, loop_.time, loop_.io.get_executor());
    rpc_ = sim::make_memory_rpc_transport(cloud_, loop_.time, loop_.io.get_executor());
  }

  /// HTTP requests and gRPC calls.
  std::uint64_t http_calls() const { return transport_->calls(); }
  std::uint64_t rpc_calls() const { return rpc_->calls(); }
  void fail_http(std::uint64_t k, const Failure& failure) { transport_->fail_call(k, failure); }
  void fail_rpc(std::uint64_t k, const Failure& failure) { rpc_->fail_call(k, failure); }

  void start() {
    RuntimeOptions options;
    options.http = transport_;
    options.rpc = rpc_;
    options.tcp = sim::make_memory_tcp_probe(cloud_, loop_.time);
    options.time = loop_.time;
    options.random_seed = 7;
    options.environment = fixed_environment(scenario_.environment);
    options.files = fixed_files({});
    if (!scenario_.uses_default_credentials) options.credentials = static_token(Secret<std::string>("test-token"));
    Runtime runtime(loop_.io.get_executor(), std::move(options));
    impl_ = shared_impl_of(runtime);
    asio::co_spawn(loop_.io, scenario_.script(runtime),
                   asio::bind_cancellation_slot(signal_.slot(), [this](std::exception_ptr error, Result<std::string> result) {
                     if (error) {
                       result_.emplace(failure_of(error));
                     } else {
                       result_.emplace(std::move(result));
                     }
                   }));
  }

  /// Runs one handler, or advances the clock once. False if nothing is left to run.
  bool step() {
    loop_.io.restart();
    if (loop_.io.poll_one() > 0) return true;
    const auto next = loop_.time->next_alarm();
    if (!next || done()) return false;
    loop_.time->advance_to(*next);
    return true;
  }

  int run_to_end() {
    int steps = 0;
    while (step()) ++steps;
    return steps;
  }

  void cancel() { signal_.emit(asio::cancellation_type::terminal); }
  bool done() const { return result_.has_value(); }
  const Result<std::string>& result() const { return *result_; }
  double seconds() const { return loop_.seconds(); }

  /// The fault after the end of all work; empty if there is none.
  std::string leftovers() {
    if (!done()) return "it never ended";
    if (transport_->in_flight() != 0) return fmt::format("{} exchanges still in flight", transport_->in_flight());
    if (rpc_->in_flight() != 0) return fmt::format("{} gRPC calls still in flight", rpc_->in_flight());
    if (loop_.time->alarms() != 0) return "a timer is still set";
    if (!impl_->open_operations.empty()) return "an operation is still open";
    const std::weak_ptr<Runtime::Impl> watch = impl_;
    impl_.reset();
    if (!watch.expired()) return "something still holds the runtime";
    return {};
  }

 private:
  const Scenario& scenario_;
  VirtualLoop loop_;
  std::shared_ptr<sim::Cloud> cloud_;
  std::shared_ptr<sim::MemoryTransport> transport_;
  std::shared_ptr<sim::MemoryRpcTransport> rpc_;
  std::shared_ptr<Runtime::Impl> impl_;
  asio::cancellation_signal signal_;
  std::optional<Result<std::string>> result_;
};

std::string show(const Result<std::string>& result) { return result ? *result : result.error().message(); }

// Messages of failures depend on the number of retries, so only the code must be equal.
bool is_same(const Result<std::string>& a, const Result<std::string>& b) {
  if (a.has_value() != b.has_value()) return false;
  return a ? *a == *b : a.error().code() == b.error().code();
}

void fail_each_call(const Scenario& scenario, std::uint64_t calls, void (Run::*fail)(std::uint64_t, const Failure&), std::string_view kind,
                    const Result<std::string>& expected, SweepReport& report) {
  for (std::uint64_t k = 1; k <= calls; ++k) {
    for (const Fault& fault : faults()) {
      Run run(scenario);
      (run.*fail)(k, fault.failure);
      run.start();
      run.run_to_end();
      ++report.runs;
      const auto complain = [&](const std::string& what) {
        report.problems.push_back(fmt::format("{}: {} {} {}: {}", scenario.name, kind, k, fault.name, what));
      };
      const std::string left = run.leftovers();
      if (!left.empty()) {
        complain(left);
        continue;
      }
      if (run.seconds() > std::chrono::duration<double>(scenario.timeout).count()) complain("it outlasted the deadline");
      // A transient fault must not change the answer; a permanent one must be reported.
      const bool passes = fault.is_transient || (scenario.asks_members_again && kind == "gRPC call") ||
                          (scenario.spare_request == k && kind == "request") ||
                          (scenario.retries_malformed && fault.failure.code() == Errc::malformed_response);
      if (passes && !is_same(run.result(), expected)) complain("the answer changed to " + show(run.result()));
      if (!passes && run.result().has_value()) complain("the failure was lost; the answer is " + show(run.result()));
      if (!passes && run.result().has_error() && run.result().error().message().find("planted fault") == std::string::npos) {
        complain("the cause is missing: " + show(run.result()));
      }
    }
  }
}

void cancel_after_each_step(const Scenario& scenario, int steps, const Result<std::string>& expected, SweepReport& report) {
  for (int k = 0; k < steps; ++k) {
    Run run(scenario);
    run.start();
    for (int i = 0; i < k && run.step(); ++i) {
    }
    const bool was_done = run.done();
    const double before = run.seconds();
    run.cancel();
    run.run_to_end();
    ++report.runs;
    const auto complain = [&](const std::string& what) {
      report.problems.push_back(fmt::format("{}: cancelled after step {}: {}", scenario.name, k, what));
    };
    const std::string left = run.leftovers();
    if (!left.empty()) {
      complain(left);
    } else if (run.seconds() != before) {
      complain("it waited before it ended");
    } else if (!is_same(run.result(), expected) &&
               (was_done || run.result().has_value() || run.result().error().code() != Errc::cancelled)) {
      complain("it ended with " + show(run.result()));
    }
  }
}

// Releases the Runtime's last handle, then destroys the loop with all open work. Sanitizers find errors in this.
void abandon_after_each_step(const Scenario& scenario, int steps, SweepReport& report) {
  for (int k = 0; k < steps; ++k) {
    Run run(scenario);
    run.start();
    for (int i = 0; i < k && run.step(); ++i) {
    }
    ++report.runs;
  }
}

}  // namespace

SweepReport sweep(const Scenario& scenario) {
  SweepReport report;
  Run plain(scenario);
  plain.start();
  const int steps = plain.run_to_end();
  const std::uint64_t http_calls = plain.http_calls();
  const std::uint64_t rpc_calls = plain.rpc_calls();
  ++report.runs;
  const std::string left = plain.leftovers();
  if (!left.empty()) {
    report.problems.push_back(scenario.name + ": " + left);
    return report;
  }
  fail_each_call(scenario, http_calls, &Run::fail_http, "request", plain.result(), report);
  fail_each_call(scenario, rpc_calls, &Run::fail_rpc, "gRPC call", plain.result(), report);
  cancel_after_each_step(scenario, steps, plain.result(), report);
  abandon_after_each_step(scenario, steps, report);
  return report;
}

}  // namespace rollcall::testing
