#include <asio/detached.hpp>
#include <catch2/catch.hpp>
#include <cstdio>

#include "call/runtime_impl.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "scenario/scenarios.hpp"

using namespace rollcall;
using rollcall::testing::Scenario;
using rollcall::testing::SweepReport;

TEST_CASE("every scenario, every request failing, cancelled after every step") {
  int runs = 0;
  for (const Scenario& scenario : rollcall::testing::scenarios()) {
    const SweepReport report = rollcall::testing::sweep(scenario);
    CAPTURE(scenario.name);
    CHECK(report.problems == std::vector<std::string>{});
    runs += report.runs;
  }
  std::printf("sweep: %d runs of (scenario, k, fault)\n", runs);
}

namespace {

Scenario planted(std::function<asio::awaitable<Result<std::string>>(Runtime)> script) {
  return {"planted", R"({"project":"p","zone":"z-a","nodes":[{"name":"trainer"}]})", {}, std::move(script)};
}

asio::awaitable<Result<std::string>> ask(Runtime runtime) {
  const auto tpu = make_tpu_resolver(runtime, TpuOptions("trainer").project("p").zone("z-a"));
  Result<ClusterSpec> spec = co_await tpu->try_cluster_spec();
  if (!spec) co_return spec.error();
  co_return spec->to_json();
}

asio::awaitable<void> hold(Runtime runtime) {
  const bool woken = co_await sleep_until(*impl_of(runtime).timers, impl_of(runtime).time->now() + std::chrono::hours(1));
  static_cast<void>(woken);
}

asio::awaitable<Result<std::string>> ask_and_leak(Runtime runtime) {
  Result<std::string> answer = co_await ask(runtime);
  if (!answer) asio::co_spawn(impl_of(runtime).executor, hold(runtime), asio::detached);
  co_return answer;
}

asio::awaitable<Result<std::string>> ask_and_lose(Runtime runtime) {
  Result<std::string> answer = co_await ask(runtime);
  if (!answer && answer.error().code() == Errc::tls_failed) co_return std::string("{}");
  co_return answer;
}

}  // namespace

TEST_CASE("the sweep finds a planted leak") {
  const SweepReport report = rollcall::testing::sweep(planted(ask_and_leak));
  CHECK_FALSE(report.problems.empty());
}

TEST_CASE("the sweep finds a planted lost result") {
  const SweepReport report = rollcall::testing::sweep(planted(ask_and_lose));
  REQUIRE(report.problems.size() == 1);
  CHECK_THAT(report.problems[0], Catch::Contains("lost"));
}
