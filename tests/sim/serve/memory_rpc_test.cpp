// Simulated workers by the library's RpcTransport, in virtual time.
#include <asio/bind_cancellation_slot.hpp>
#include "rollcall/sim/memory.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "sim/workers/rpc_support.hpp"

namespace rollcall::sim {

namespace {

class Fixture {
 public:
  explicit Fixture(const std::string& second_worker = "")
      : cloud(cloud_of(R"({"workers": [{"address": "10.0.0.2"}, {"address": "10.0.0.3")" + second_worker + "}]}")),
        transport(make_memory_rpc_transport(cloud, loop.time, loop.io.get_executor())) {}
  ~Fixture() {
    CHECK(transport->in_flight() == 0);
    CHECK(loop.time->alarms() == 0);
  }

  asio::awaitable<Result<RpcAnswer>> call(std::string address, std::string method) {
    request = rpc_request(std::move(address), std::move(method));
    return transport->call(request, options);
  }
  Failure failure(std::string address, std::string method) {
    const auto result = loop.run(call(std::move(address), std::move(method)));
    if (result) FAIL("no failure");
    CHECK(result.error().target() == request.address);
    return result.error();
  }

  testing::VirtualLoop loop;
  std::shared_ptr<Cloud> cloud;
  std::shared_ptr<MemoryRpcTransport> transport;
  RpcRequest request;
  RpcOptions options;
};

}  // namespace

TEST_CASE("a call reaches the worker and its answer comes back") {
  Fixture f;
  const auto answer = f.loop.run(f.call(worker_a, list_devices));
  REQUIRE(answer);
  CHECK(answer->status == RpcStatus::ok);
  CHECK(devices_of(answer->message).size() == 20);
  CHECK(f.loop.run(f.call(worker_a, "/x/y"))->status == RpcStatus::unimplemented);
  CHECK(f.transport->calls() == 2);
  CHECK(f.cloud->total() == 2);
  CHECK(f.loop.seconds() == 0);
}

TEST_CASE("the failures of a call have RpcTransport's codes") {
  Fixture f(R"(, "runtime": "none")");
  CHECK(f.failure(worker_b, get_status).code() == Errc::unreachable);
  CHECK(f.failure(worker_b, get_status).phase() == Phase::connect);
  CHECK(f.failure("10.0.0.9:8470", get_status).code() == Errc::unreachable);
  CHECK(f.failure("nobody:8470", get_status).code() == Errc::unknown_host);
  CHECK(f.failure("nobody:8470", get_status).phase() == Phase::resolve);
  f.options.max_message_bytes = 10;
  CHECK(f.failure(worker_a, get_status).code() == Errc::limit_exceeded);
  f.options = RpcOptions();
  f.request = rpc_request(worker_a, get_status);
  f.request.is_tls = true;
  CHECK(f.loop.run(f.transport->call(f.request, f.options)).error().code() == Errc::tls_failed);
}

TEST_CASE("delays follow the clock, and deadlines end them") {
  Fixture f(R"(, "delay": 3)");
  CHECK(f.loop.run(f.call(worker_b, get_status))->status == RpcStatus::ok);
  CHECK(f.loop.seconds() == 3);
  f.options.deadline = SteadyTime(std::chrono::seconds(5));
  const Failure late = f.failure(worker_b, get_status);
  CHECK(late.code() == Errc::response_timeout);
  CHECK(late.phase() == Phase::response);
  CHECK(f.loop.seconds() == 5);
}

TEST_CASE("a master's answer waits for a missing worker") {
  Fixture f(R"(, "runtime": "none", "timeline": [{"at": 4, "runtime": "tensorflow"}])");
  const auto answer = f.loop.run(f.call(worker_a, list_devices));
  REQUIRE(answer);
  CHECK(devices_of(answer->message).size() == 20);
  CHECK(f.loop.seconds() == 4);
}

TEST_CASE("stopping a worker breaks its held calls") {
  Fixture f(R"(, "fault": "stall", "timeline": [{"at": 2, "runtime": "none"}])");
  const Failure broken = f.failure(worker_b, get_status);
  CHECK(broken.code() == Errc::unreachable);
  CHECK(broken.phase() == Phase::response);
  CHECK(f.loop.seconds() == 2);
}

TEST_CASE("a call is answered at once when another call uses up the stall") {
  Fixture f(R"(, "fault": "stall", "times": 1)");
  auto waiting = f.loop.start(f.call(worker_a, list_devices));
  CHECK_FALSE(waiting.done());
  const RpcRequest status = rpc_request(worker_b, get_status);
  auto silent = f.loop.start(f.transport->call(status, f.options));
  f.loop.poll();
  CHECK(waiting.done());
  CHECK_FALSE(silent.done());
  f.transport->close();
  REQUIRE(f.loop.finish(silent));
  CHECK(silent.value().error().code() == Errc::cancelled);
}

TEST_CASE("cancellation, close and scripted failures leave nothing behind") {
  Fixture f(R"(, "fault": "stall")");
  asio::cancellation_signal cancel;
  std::exception_ptr thrown;
  std::optional<Result<RpcAnswer>> ended;
  asio::co_spawn(f.loop.io, f.call(worker_b, get_status),
                 asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr error, Result<RpcAnswer> result) {
                   thrown = error;
                   ended = std::move(result);
                 }));
  f.loop.poll();
  CHECK(f.transport->in_flight() == 1);
  cancel.emit(asio::cancellation_type::terminal);
  f.loop.poll();
  REQUIRE(ended);
  CHECK((thrown || ended->error().code() == Errc::cancelled));
  CHECK(f.transport->in_flight() == 0);

  f.transport->fail_call(2, Failure(Errc::malformed_response, "scripted").with_target(worker_a));
  CHECK(f.loop.run(f.call(worker_a, get_status)));
  CHECK(f.failure(worker_a, get_status).code() == Errc::malformed_response);
  CHECK(f.loop.run(f.call(worker_a, get_status)));
  f.transport->close();
  CHECK(f.failure(worker_a, get_status).code() == Errc::cancelled);
}

}  // namespace rollcall::sim
