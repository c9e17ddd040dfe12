// Bodies that are left to the handler: the permission is checked first, and the total of bodies being read is limited.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <vector>

#include "net/server/stranger.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

constexpr std::size_t max = 100'000;

// POST /kept has a body that is used; "Known: yes" in the head says that its client may send it.
std::size_t body_of(const ServerRequest& head) { return head.method == "POST" && head.target == "/kept" ? max : 0; }

asio::awaitable<void> judge_and_read(ServerExchange& exchange) {
  HttpResponse response;
  response.status = 401;
  std::string body;
  if (exchange.request().headers.get("Known")) {
    const int fault = co_await exchange.read_body(body);
    response.status = fault == 0 ? 200 : fault;
  }
  response.body = fmt::format("{} {}", body.size(), exchange.request().body.size());
  co_await exchange.reply(response);
}

class BodiesFixture : public StrangerFixture {
 public:
  explicit BodiesFixture(ServerLimits limits = small()) : StrangerFixture(judge_and_read, limits) { server.leave_bodies(body_of); }
  static ServerLimits small() {
    ServerLimits limits;
    limits.body_bytes = 1000;
    limits.all_bodies_bytes = 150'000;
    return limits;
  }
  /// The answer to one request on a connection of its own.
  std::string talk(const std::string& bytes) {
    Stranger client(port);
    send_all(client, bytes);
    hear_out(client);
    return client.heard;
  }
  void send_all(Stranger& client, const std::string& bytes) {
    std::size_t sent = 0;
    for (int i = 0; i < 10'000 && sent < bytes.size(); ++i) {
      sent += client.send(std::string_view(bytes).substr(sent));
      poll();
    }
  }
};

std::string post(const std::string& path, std::size_t length, const std::string& fields = "") {
  return fmt::format("POST {} HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n{}\r\n", path, length, fields);
}

}  // namespace

TEST_CASE("a body is read after the check of its head, and other bodies are dropped", "[fleet]") {
  BodiesFixture f;
  const std::string body(max, 'b');
  const std::string last = "Connection: close\r\n";
  CHECK(f.talk(post("/kept", max, "Known: yes\r\n" + last) + body).ends_with("\r\n\r\n100000 0"));
  CHECK(f.talk(post("/other", 1000, last) + body.substr(0, 1000)).ends_with("\r\n\r\n0 0"));
  CHECK(f.talk(post("/other", 1001, last)).starts_with("HTTP/1.1 413 "));
  CHECK(f.talk(post("/kept", max + 1, "Known: yes\r\n" + last)).starts_with("HTTP/1.1 413 "));
  CHECK(
      f.talk("POST /kept HTTP/1.1\r\nHost: h\r\nKnown: yes\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
          .ends_with("\r\n\r\n3 0"));
  CHECK(f.talk("POST /kept HTTP/1.1\r\nHost: h\r\nKnown: yes\r\nTransfer-Encoding: chunked\r\n\r\n186a1\r\n").starts_with("HTTP/1.1 413 "));
  CHECK(f.talk("POST /kept HTTP/1.1\r\nHost: h\r\nKnown: yes\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n").starts_with("HTTP/1.1 400 "));
}

TEST_CASE("a client without permission gets the status before its body is read, and its connection ends", "[fleet]") {
  BodiesFixture f;
  Stranger client(f.port);
  client.send(post("/kept", max));
  f.run_until([&] { return client.listen() || client.heard.find("0 0") != std::string::npos; });
  CHECK(client.heard.starts_with("HTTP/1.1 401 "));
  CHECK(client.heard.find("Connection: close\r\n") != std::string::npos);
  f.send_all(client, std::string(max, 'b') + "GET / HTTP/1.1\r\nHost: h\r\n\r\n");  // is not a request any more
  f.pass(3);
  CHECK(client.listen());
  CHECK(f.server.requests() == 1);
  f.wait_until_empty();
}

TEST_CASE("a connection continues after a body that was read", "[fleet]") {
  BodiesFixture f;
  Stranger client(f.port);
  f.send_all(client, post("/kept", 3, "Known: yes\r\nExpect: 100-continue\r\n"));
  f.run_until([&] { return client.listen() || client.heard.find("100 Continue") != std::string::npos; });
  f.send_all(client,
             "abc" + post("/kept", 2, "Known: yes\r\n") + "de" + post("/kept", 0, "Known: yes\r\n") + post("/kept", 4, "Known: yes\r\n"));
  f.wait_for_requests(4);
  f.send_all(client, "fghi");
  f.run_until([&] { return client.listen() || client.heard.find("\r\n\r\n4 0") != std::string::npos; });
  for (const char* const reported : {"\r\n\r\n3 0", "\r\n\r\n2 0", "\r\n\r\n0 0"}) CHECK(client.heard.find(reported) != std::string::npos);
}

TEST_CASE("announced bodies take no memory, and each has a time limit", "[fleet]") {
  BodiesFixture f;
  std::vector<Stranger> silent;
  for (int i = 0; i < 20; ++i) silent.emplace_back(f.port).send(post("/kept", max, "Known: yes\r\n") + "some");
  f.wait_for_requests(20);
  f.poll();
  CHECK(f.talk(post("/kept", max, "Known: yes\r\nConnection: close\r\n") + std::string(max, 'b')).ends_with("\r\n\r\n100000 0"));
  f.pass(11);
  f.pass(3);
  for (Stranger& client : silent) {
    f.hear_out(client);
    CHECK(client.heard.starts_with("HTTP/1.1 408 "));
  }
}

TEST_CASE("where concurrent bodies have no more room, the largest ends with 503", "[fleet]") {
  BodiesFixture f;
  const std::string chunked = "POST /kept HTTP/1.1\r\nHost: h\r\nKnown: yes\r\nTransfer-Encoding: chunked\r\n\r\n";
  Stranger first(f.port);
  f.send_all(first, post("/kept", max, "Known: yes\r\n") + std::string(max - 1, 'b'));
  Stranger second(f.port);
  f.send_all(second, chunked + "4e20\r\n" + std::string(20'000, 'b') + "\r\n");
  f.wait_for_requests(2);
  f.poll();
  CHECK(f.talk(post("/kept", 4, "Known: yes\r\nConnection: close\r\n") + "more").ends_with("\r\n\r\n4 0"));
  CHECK((!first.listen() && !second.listen()));
  Stranger third(f.port);
  f.send_all(third, post("/kept", max, "Known: yes\r\nConnection: close\r\n") + std::string(60'000, 'b'));
  f.hear_out(first);
  CHECK(first.heard.starts_with("HTTP/1.1 503 "));
  f.send_all(third, std::string(max - 60'000, 'b'));
  f.hear_out(third);
  CHECK(third.heard.ends_with("\r\n\r\n100000 0"));
  CHECK(!second.listen());
  f.send_all(second, "0\r\n\r\n");
  f.run_until([&] { return second.listen() || !second.heard.empty(); });
  CHECK(second.heard.find("\r\n\r\n20000 0") != std::string::npos);
}
