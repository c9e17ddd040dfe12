// The check of the coordinator's port before a launch: which answers mean that the processes can connect.
#include "rollcall/coordinator_probe.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include "rollcall/tcp_probe.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace std::chrono_literals;
using rollcall::testing::check_failure;

namespace {

// Answers as set, and records the request.
class WatchedProbe final : public TcpProbe {
 public:
  explicit WatchedProbe(Result<void> said) : answer(std::move(said)) {}
  asio::awaitable<Result<void>> connect(const Endpoint& endpoint, SteadyTime until) override {
    asked = endpoint;
    deadline = until;
    co_await asio::post(asio::use_awaitable);
    if (time && time->now() >= comes_at) co_return Result<void>();
    co_return answer;
  }
  std::shared_ptr<rollcall::testing::FakeTime> time;
  SteadyTime comes_at = SteadyTime::max();
  Result<void> answer;
  Endpoint asked;
  SteadyTime deadline;
};

class ProbeLoop : public rollcall::testing::VirtualLoop {
 public:
  Result<void> probe(Result<void> answer, LaunchCoordinator coordinator = LaunchCoordinator(Endpoint("head", 29500), false),
                     Duration timeout = 30s) {
    reported = std::make_shared<WatchedProbe>(std::move(answer));
    reported->time = time;
    reported->comes_at = comes_at;
    RuntimeOptions options;
    options.time = time;
    options.tcp = reported;
    options.environment = fixed_environment({});
    const Runtime runtime(io.get_executor(), std::move(options));
    return run(try_probe_coordinator(runtime, std::move(coordinator), CallOptions().timeout(timeout)));
  }
  std::shared_ptr<WatchedProbe> reported;
  SteadyTime comes_at = SteadyTime::max();
};

// A port of this machine with a listening socket during its lifetime.
class TakenPort {
 public:
  TakenPort() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(fd_, 1) == 0);
    REQUIRE(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port = ntohs(address.sin_port);
  }
  ~TakenPort() { free(); }
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;
  void free() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  std::uint16_t port = 0;

 private:
  int fd_;
};

}  // namespace

TEST_CASE("a host that accepts or refuses the connection is reachable") {
  ProbeLoop t;
  CHECK(t.probe(Result<void>()));
  CHECK(t.reported->asked == Endpoint("head", 29500));
  CHECK(t.probe(Failure(Errc::unreachable, "could not connect to 'head:29500': 10.0.0.1:29500: Connection refused")));
  CHECK(t.probe(
      Failure(Errc::connect_timeout, "connecting took longer than 10s ([fd00::1]:29500: no answer; 10.0.0.1:29500: Connection refused)")));
}

TEST_CASE("an unreachable host is reported with the error and a hint") {
  ProbeLoop t;
  Result<void> silent =
      t.probe(Failure(Errc::connect_timeout, "connecting to 'head:29500' took longer than 10s (10.0.0.1:29500: no answer)"));
  check_failure(silent, Errc::connect_timeout, "head:29500", "cannot reach", "no answer");
  CHECK_THAT(silent.error().hint(), Catch::Contains("firewalls") && Catch::Contains("port 29500 of head"));
  check_failure(t.probe(Failure(Errc::unreachable, "could not connect to 'head:29500': 10.0.0.1:29500: No route to host")),
                Errc::unreachable, "No route to host");
  Result<void> nameless = t.probe(Failure(Errc::unknown_host, "'head' is not known: Connection refused"));
  check_failure(nameless, Errc::unknown_host, "head:29500");
  CHECK_THAT(nameless.error().hint(), Catch::Contains("look up head"));
}

TEST_CASE("a name, a route and a host that appear later are retried until the call's time is over") {
  const Errc code = GENERATE(Errc::unknown_host, Errc::unreachable, Errc::connect_timeout, Errc::resolve_timeout);
  ProbeLoop t;
  t.comes_at = t.time->now() + 12s;
  CHECK(t.probe(Failure(code, "head: not there yet")));
  CHECK(t.seconds() < 20);
  t.comes_at = SteadyTime::max();
  const SteadyTime start = t.time->now();
  check_failure(t.probe(Failure(code, "head: not there yet"), LaunchCoordinator(Endpoint("head", 29500), false), 25s), code,
                "not there yet");
  CHECK(t.time->now() - start > 15s);
  CHECK(t.time->now() - start <= 25s);
}

TEST_CASE("a failure that does not pass by itself is an error at once") {
  ProbeLoop t;
  check_failure(t.probe(Failure(Errc::unknown_host, "no such name"), LaunchCoordinator(Endpoint("head.Invalid", 1), false)),
                Errc::unknown_host, "no such name");
  check_failure(t.probe(Failure(Errc::invalid_argument, "no host")), Errc::invalid_argument, "no host");
  CHECK(t.seconds() < 1);
}

TEST_CASE("a silent host is waited for 10 s, and not beyond the call's time") {
  ProbeLoop t;
  const SteadyTime start = t.time->now();
  CHECK(t.probe(Result<void>()));
  CHECK(t.reported->deadline == start + 10s);
  CHECK(t.probe(Result<void>(), LaunchCoordinator(Endpoint("head", 1), false), 3s));
  CHECK(t.reported->deadline == start + 3s);
}

TEST_CASE("on its own host the coordinator's port must be free") {
  ProbeLoop t;
  TakenPort taken;
  const LaunchCoordinator here(Endpoint("head", taken.port), true);
  const Result<void> refused = t.probe(Failure(Errc::unreachable, "not asked"), here);
  check_failure(refused, Errc::failed_precondition, std::to_string(taken.port), "Address already in use");
  CHECK_THAT(refused.error().hint(), Catch::Contains("--coordinator-port"));
  CHECK(t.reported->asked.host.empty());  // no connection is tried: it would not find a port that is bound on one address only
  taken.free();
  CHECK(t.probe(Failure(Errc::unreachable, "not asked"), here));
}

TEST_CASE("an address without a port cannot be probed") {
  ProbeLoop t;
  check_failure(t.probe(Result<void>(), LaunchCoordinator(Endpoint("head", std::nullopt), false)), Errc::invalid_argument, "no port");
}
