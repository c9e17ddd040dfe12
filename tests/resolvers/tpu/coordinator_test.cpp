// The socket behind a coordinator's address.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "rollcall/tpu_resolver.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::TestRuntime;

namespace {

bool listens(int descriptor) {
  int value = -1;
  socklen_t size = sizeof value;
  REQUIRE(::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0);
  return value != 0;
}

}  // namespace

TEST_CASE("the coordinator's socket is close-on-exec, and does not listen by an address that is not this machine's") {
  for (const std::string address : {"127.0.0.1", "192.0.2.7"}) {  // the latter belongs to no machine
    TestRuntime t;
    HttpResponse answer = rollcall::testing::ScriptedTransport::reply(200, address);
    answer.headers.add("Metadata-Flavor", "Google");
    t.transport->answers.emplace_back(std::move(answer));
    const auto resolver = make_tpu_resolver(t.runtime, TpuOptions("grpc://a:1").coordinator_name("chief"));
    const std::string reported = t.run(resolver->cluster_spec()).task_address("chief", 0).value();
    const int descriptor = resolver->coordinator_socket();
    sockaddr_in bound{};
    socklen_t size = sizeof bound;
    REQUIRE(::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size) == 0);
    CHECK(reported == address + ":" + std::to_string(ntohs(bound.sin_port)));
    CHECK((::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK(listens(descriptor) == (address == "127.0.0.1"));
  }
}
