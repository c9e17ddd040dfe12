// The longest possible time-outs, and negative ones, with a clock that does not start at zero.
#include <catch2/catch.hpp>

#include "call/call_scope.hpp"
#include "rollcall/cloud_tpu_client.hpp"
#include "rollcall/discover.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/wait.hpp"
#include "support/cloud_loop.hpp"
#include "support/result.hpp"

using namespace rollcall;
using rollcall::testing::CloudLoop;
using namespace std::chrono_literals;

namespace {

constexpr Duration endless = Duration::max();

constexpr const char* late_cloud = R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-16", "endpoints": ["10.0.0.1", "10.0.0.2"],
  "timeline": [{"at": "0s", "state": "CREATING", "health": "TIMEOUT", "endpoints": []},
               {"at": "60s", "state": "READY", "health": "HEALTHY", "endpoints": ["10.0.0.1", "10.0.0.2"]}]}]})";

TpuOptions node() { return TpuOptions("trainer").project("example-proj").zone("us-central2-b"); }

// The failure, if there is one.
asio::awaitable<std::optional<Errc>> await_health(std::shared_ptr<CloudTpuClient> client, Duration timeout) {
  std::optional<Errc> code;
  try {
    co_await client->wait_for_healthy(timeout, 5s);
  } catch (const ResolveError& error) {
    code = error.failure().code();
  }
  co_return code;
}

// The steady clock counts from the machine's start.
class LateLoop : public CloudLoop {
 public:
  LateLoop() : CloudLoop(late_cloud) { time->advance(5s); }
};

}  // namespace

TEST_CASE("a call without end is answered") {
  LateLoop t;
  t.time->advance(2min);
  const auto tpu = make_tpu_resolver(t.runtime, node());
  CHECK(t.run(tpu->cluster_spec(CallOptions().timeout(endless))).num_tasks("worker").value() == 2);
  CHECK(t.run(tpu->try_cluster_spec(CallOptions().timeout(0ns))).error().code() == Errc::invalid_argument);
  CHECK(t.run(tpu->try_cluster_spec(CallOptions().timeout(Duration::min()))).error().code() == Errc::invalid_argument);
}

TEST_CASE("a wait without end goes on until the cluster is ready") {
  LateLoop t;
  WaitOptions options = WaitOptions().timeout(endless).provision_timeout(endless).queue_timeout(endless);
  const ClusterStatus status = t.run(wait_until_ready(make_tpu_resolver(t.runtime, node()), usually_ready, options));
  CHECK(status.members.size() == 2);
  CHECK(t.elapsed() >= 60);
}

TEST_CASE("a phase that may take no time at all ends the wait at the first poll") {
  LateLoop t;
  const Duration limit = GENERATE(Duration(0), Duration(-1s), Duration::min());
  const auto waited =
      t.run(try_wait_until_ready(make_tpu_resolver(t.runtime, node()), usually_ready, WaitOptions().provision_timeout(limit)));
  CHECK(waited.error().code() == Errc::deadline_exceeded);
  CHECK(t.elapsed() < 6);
}

TEST_CASE("health is awaited without end, or read once") {
  LateLoop t;
  const auto client = make_cloud_tpu_client(t.runtime, node());
  SECTION("without end") {
    CHECK_FALSE(t.run(await_health(client, endless)).has_value());
    CHECK(t.elapsed() >= 60);
  }
  SECTION("once") {
    const Duration timeout = GENERATE(Duration(0), Duration(-1h), Duration::min());
    CHECK(t.run(await_health(client, timeout)) == Errc::not_ready);
    CHECK(t.asked("nodes.get") == 1);
  }
}

TEST_CASE("a sleep without end lasts until the deadline, and one into the past does not last") {
  LateLoop t;
  const auto script = [](Call& call) -> asio::awaitable<Result<void>> {
    const Result<void> past = co_await call.sleep_until(SteadyTime::min());
    if (!past) co_return past;
    Result<void> future = co_await call.sleep_until(SteadyTime::max());
    co_return future;
  };
  const auto slept = t.run(run_call<void>(shared_impl_of(t.runtime), CallOptions().timeout(3s), "test", script));
  CHECK(slept.error().code() == Errc::deadline_exceeded);
  CHECK(t.elapsed() == 8);
}

TEST_CASE("a clock may be moved to the end of time") {
  rollcall::testing::FakeTime time;
  time.advance(5s);
  time.advance(Duration::min());
  CHECK(time.now() == SteadyTime(5s));
  time.advance(endless);
  CHECK(time.now() == SteadyTime::max());
  CHECK(time.wall_now() == WallTime::max());
}
