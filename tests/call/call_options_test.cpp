// Options that resolvers define for their calls.
#include <catch2/catch.hpp>
#include <stdexcept>

#include "call/call_scope.hpp"
#include "rollcall/tpu_call.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;

namespace {

class Lines {
 public:
  int count = 1;
};
class Pages {
 public:
  int count = 1;
};

}  // namespace

TEST_CASE("call options have the options of two resolvers, and refuse those of a third") {
  CallOptions options;
  CHECK(options.get<TpuCallOptions>().lookup() == TpuLookup::automatic);
  options.with(TpuCallOptions().lookup(TpuLookup::list));
  Lines lines;
  lines.count = 7;
  options.with(lines);
  CHECK_THROWS_AS(options.with(Pages()), std::length_error);
  lines.count = 8;
  options.with(lines);  // replaces
  CHECK(options.get<Lines>().count == 8);
  CHECK(options.get<Pages>().count == 1);
  CHECK(options.get<TpuCallOptions>().lookup() == TpuLookup::list);
}

TEST_CASE("limits with which every request would wait for ever are refused by the first call") {
  Limits limits;
  SECTION("requests") { limits.requests_in_flight_per_host = 0; }
  SECTION("calls") { limits.rpcs_in_flight = 0; }
  rollcall::testing::TestRuntime t({}, limits);
  const auto script = [](Call&) -> asio::awaitable<Result<void>> { co_return Result<void>(); };
  const Result<void> done = t.run(run_call<void>(shared_impl_of(t.runtime), CallOptions(), "test", script));
  rollcall::testing::check_failure(done, Errc::invalid_argument, "requests_in_flight_per_host and rpcs_in_flight must be positive");
}
