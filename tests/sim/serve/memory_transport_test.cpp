// The memory transport: faults become failures, in virtual time.
#include "rollcall/sim/memory.hpp"

#include "rollcall/testing/virtual_loop.hpp"
#include "sim/support.hpp"

namespace rollcall::sim {

namespace {

class TransportFixture {
 public:
  explicit TransportFixture(const std::string& rest)
      : cloud(cloud_of("{\"nodes\": [{\"name\": \"n\"}]" + (rest.empty() ? "" : ", " + rest) + "}")) {
    transport = make_memory_transport(cloud, loop.time, loop.io.get_executor());
    request.url = *Url::parse("https://tpu.googleapis.com" + nodes_path("/n"));
    request.bearer = Secret<std::string>("t");
  }
  Result<HttpResponse> send() { return loop.run(transport->send(request, options)); }
  Errc error() {
    const auto result = send();
    if (result) FAIL("no failure");
    CHECK(result.error().target() == request.url.without_query());
    phase = result.error().phase();
    return result.error().code();
  }

  testing::VirtualLoop loop;
  std::shared_ptr<Cloud> cloud;
  std::shared_ptr<MemoryTransport> transport;
  HttpRequest request;
  ExchangeOptions options;
  Phase phase = Phase::none;
};

std::string fault(const std::string& what) { return "\"faults\": [{" + what + "}]"; }

}  // namespace

TEST_CASE("a request reaches the cloud and its answer comes back") {
  TransportFixture f("");
  f.transport->record(true);
  const auto response = f.send();
  REQUIRE(response);
  CHECK(response->status == 200);
  CHECK(response->body.find("\"READY\"") != std::string::npos);
  CHECK(f.transport->calls() == 1);
  CHECK(f.transport->in_flight() == 0);
  REQUIRE(f.transport->sent().size() == 1);
  CHECK(f.transport->sent()[0].has_bearer);
  CHECK(f.transport->sent()[0].url == "https://tpu.googleapis.com" + nodes_path("/n"));
  CHECK(f.loop.time->alarms() == 0);
}

TEST_CASE("faults become the failures of a network") {
  const auto code = [](const std::string& what) {
    TransportFixture f(fault(what));
    const Errc found = f.error();
    CHECK(f.transport->in_flight() == 0);
    CHECK(f.loop.time->alarms() == 0);
    return found;
  };
  CHECK(code(R"("fault": "refuse")") == Errc::unreachable);
  CHECK(code(R"("fault": "reset")") == Errc::unreachable);
  CHECK(code(R"("fault": "stall")") == Errc::response_timeout);
  CHECK(code(R"("fault": "stall", "bytes": 3)") == Errc::response_timeout);
  CHECK(code(R"("fault": "truncate", "bytes": 3)") == Errc::unreachable);
  CHECK(code(R"("fault": "truncate", "bytes": 0)") == Errc::unreachable);
  CHECK(code(R"("fault": "wrong_length")") == Errc::unreachable);
  CHECK(code(R"("fault": "endless_body")") == Errc::limit_exceeded);
  CHECK(code(R"("fault": "endless_header")") == Errc::limit_exceeded);
  CHECK(code(R"("fault": "endless_chunk_extension")") == Errc::limit_exceeded);
  CHECK(code(R"("fault": "trickle", "bytes": 1, "interval": 30)") == Errc::response_timeout);
  CHECK(code(R"("delay": 30)") == Errc::response_timeout);
  TransportFixture refused(fault(R"("fault": "refuse")"));
  refused.error();
  CHECK(refused.phase == Phase::connect);
}

TEST_CASE("delays and trickles follow the clock, and deadlines end them") {
  TransportFixture late(fault(R"("delay": "1.5s")"));
  CHECK(late.send()->status == 200);
  CHECK(late.loop.seconds() == 1.5);

  TransportFixture slow(fault(R"("fault": "trickle", "bytes": 100, "interval": 1)"));
  const auto body = slow.send();
  REQUIRE(body);
  CHECK(slow.loop.seconds() == static_cast<double>((body->body.size() + 99) / 100));

  TransportFixture cut(fault(R"("fault": "trickle", "bytes": 1, "interval": 1)"));
  cut.options.deadline = SteadyTime(std::chrono::seconds(7));
  CHECK(cut.error() == Errc::deadline_exceeded);
  CHECK(cut.loop.seconds() == 7);

  TransportFixture stalled(fault(R"("fault": "stall")"));
  stalled.options.response_timeout = std::chrono::seconds(3);
  CHECK(stalled.error() == Errc::response_timeout);
  CHECK(stalled.loop.seconds() == 3);
}

TEST_CASE("a corrupt or short body arrives as such") {
  CHECK(static_cast<unsigned char>(TransportFixture(fault(R"("fault": "corrupt")")).send()->body[0]) == ('{' | 0x80));
  CHECK(TransportFixture(fault(R"("fault": "wrong_length", "bytes": 5)")).send()->body.size() == 5);
}

TEST_CASE("limits of header and body") {
  TransportFixture body("");
  body.options.max_body_bytes = 10;
  CHECK(body.error() == Errc::limit_exceeded);
  TransportFixture head("");
  head.options.max_header_bytes = 10;
  CHECK(head.error() == Errc::limit_exceeded);
}

TEST_CASE("the k-th call can be made to fail") {
  TransportFixture f("");
  f.transport->fail_call(2, Failure(Errc::tls_failed, "scripted"));
  CHECK(f.send());
  const auto second_call = f.send();
  REQUIRE_FALSE(second_call);
  CHECK(second_call.error().code() == Errc::tls_failed);
  CHECK(f.send());
  CHECK(f.cloud->total() == 2);
}

TEST_CASE("a held request is answered when the value changes") {
  TransportFixture f("");
  f.request = HttpRequest(*Url::parse("http://metadata.google.internal/computeMetadata/v1/instance/preempted?wait_for_change=true"));
  f.request.headers.add("Metadata-Flavor", "Google");
  f.options.response_timeout = Duration(0);
  auto waiting = f.loop.start(f.transport->send(f.request, f.options));
  CHECK_FALSE(waiting.done());
  CHECK(f.transport->in_flight() == 1);
  f.cloud->set_metadata("instance/preempted", "TRUE");
  REQUIRE(f.loop.finish(waiting));
  CHECK(waiting.value()->body == "TRUE");
  f.request.url.target += "&timeout_sec=4";
  CHECK(f.send()->body == "TRUE");
  CHECK(f.loop.seconds() == 4);
}

TEST_CASE("close() fails requests in flight and later ones") {
  TransportFixture f(fault(R"("fault": "stall")"));
  auto waiting = f.loop.start(f.transport->send(f.request, f.options));
  f.transport->close();
  REQUIRE(f.loop.finish(waiting));
  CHECK(waiting.value().error().code() == Errc::cancelled);
  CHECK(f.error() == Errc::cancelled);
  CHECK(f.transport->in_flight() == 0);
}

TEST_CASE("cancellation ends an exchange and leaves nothing behind") {
  for (const char* what : {R"("fault": "stall")", R"("delay": 5)", R"("fault": "trickle", "bytes": 10)"}) {
    TransportFixture f(fault(what));
    auto waiting = f.loop.start([](TransportFixture& self) -> asio::awaitable<int> {
      int code = 0;
      try {
        const auto result = co_await self.transport->send(self.request, self.options);
        code = result ? 1 : static_cast<int>(result.error().code());
      } catch (const std::system_error&) {
        code = static_cast<int>(Errc::cancelled);
      }
      co_return code;
    }(f));
    CHECK(f.transport->in_flight() == 1);
    waiting.cancel();
    f.loop.poll();
    REQUIRE(waiting.done());
    CHECK(waiting.value() == static_cast<int>(Errc::cancelled));
    CHECK(f.transport->in_flight() == 0);
    CHECK(f.loop.time->alarms() == 0);
  }
}

TEST_CASE("a body can be read in pieces, and abandoned") {
  TransportFixture f(fault(R"("fault": "trickle", "bytes": 64, "interval": "100ms")"));
  const int size = f.loop.run([](TransportFixture& self) -> asio::awaitable<int> {
    const auto stream = co_await self.transport->open(self.request, self.options);
    const auto piece = co_await (*stream)->read();
    CHECK(self.transport->in_flight() == 1);
    co_return static_cast<int>(piece->size());
  }(f));
  CHECK(size == 64);
  CHECK(f.loop.seconds() == 0.1);
  CHECK(f.transport->in_flight() == 0);
}

}  // namespace rollcall::sim
