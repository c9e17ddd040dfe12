// A server at a unix socket: connected to by its path, with any host in the URL.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "net/http/http_client_fixture.hpp"
#include "support/paths.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

class UnixPeer {
 public:
  UnixPeer() : path(std::filesystem::temp_directory_path() / ("rollcall-" + std::to_string(::getpid()) + ".sock")) {
    std::filesystem::remove(path);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string text = path.string();
    std::copy(text.begin(), text.end(), address.sun_path);
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || ::listen(listener_, 8) != 0)
      throw std::runtime_error("cannot listen at " + text);
  }
  ~UnixPeer() {
    if (client_ >= 0) ::close(client_);
    ::close(listener_);
    std::filesystem::remove(path);
  }
  bool take() {
    if (client_ < 0) client_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return client_ >= 0;
  }
  bool read() {
    char bytes[4096];
    const ssize_t got = ::read(client_, bytes, sizeof bytes);
    if (got > 0) asked.append(bytes, static_cast<std::size_t>(got));
    return asked.find("\r\n\r\n") != std::string::npos;
  }
  void answer(std::string_view text) { CHECK(::write(client_, text.data(), text.size()) == static_cast<ssize_t>(text.size())); }

  std::filesystem::path path;
  std::string asked;

 private:
  int listener_ = -1;
  int client_ = -1;
};

HttpRequest request_at(const HttpFixture& net, const std::string& path) {
  HttpRequest request = net.request("/slurm", "localhost");
  auto access = std::make_shared<ServerAccess>();
  access->socket_path = path;
  request.access = std::move(access);
  return request;
}

}  // namespace

TEST_CASE("a request goes to the unix socket of its access") {
  UnixPeer peer;
  HttpFixture net([](ServerExchange& exchange) -> asio::awaitable<void> {
    exchange.reset();
    co_return;
  });
  for (int i = 0; i < 2; ++i) {  // the connection is kept
    peer.asked.clear();
    const OutcomePtr outcome = net.start(request_at(net, peer.path));
    net.until([&peer] { return peer.take(); });
    net.until([&peer] { return peer.read(); });
    CHECK_THAT(peer.asked, Catch::StartsWith("GET /slurm HTTP/1.1\r\n"));
    peer.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    const auto& answer = *net.finish(outcome)->result;
    REQUIRE(answer.has_value());
    CHECK(answer->body == "ok");
    CHECK(answer->is_from_loopback == true);
  }
  CHECK(net.server.connections_accepted() == 0);
}

TEST_CASE("a unix socket where nothing listens is named by its path") {
  HttpFixture net(echo);
  const std::string missing = (std::filesystem::temp_directory_path() / "rollcall-nothing.sock").string();
  const auto refused = *net.finish(net.start(request_at(net, missing)))->result;
  check_failure(refused, Errc::unreachable, missing);
  const auto too_long = *net.finish(net.start(request_at(net, "/" + std::string(200, 'a'))))->result;
  check_failure(too_long, Errc::invalid_argument, "no path of a unix socket");
}
