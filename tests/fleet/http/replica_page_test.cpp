// The paths for other replicas of the service: rights, and what is refused.
#include <catch2/catch.hpp>

#include "fleet/http/scripted_access.hpp"
#include "fleet/replicas/replica_loop.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

constexpr auto stream_path = "/v1/replica?id=a";

HttpResponse put_wanted(ReplicaLoop& t, std::size_t from, std::size_t to, std::string body) {
  HttpRequest request(value_of(Url::parse(fmt::format("http://127.0.0.1:{}/v1/replica/wanted", ReplicaLoop::port_of(to)))));
  request.method = HttpMethod::put;
  request.headers.add("Content-Type", "application/json");
  request.body = std::move(body);
  const ExchangeOptions options;
  const auto sent = t.start(t.ones[from].transport->send(request, options));
  t.pass(1);
  return value_of(sent.value());
}

}  // namespace

TEST_CASE("A service that is alone has no replicas", "[fleet]") {
  ServiceLoop loop;
  for (const auto& [method, path] : {std::pair("GET", stream_path), std::pair("PUT", "/v1/replica/wanted")}) {
    const ExchangePtr asked = loop.request(method, path);
    CHECK(asked->answered.status == 404);
    CHECK_THAT(asked->answered.body, Contains("no lease"));
  }
  const ExchangePtr posted = loop.request("POST", "/v1/replica/wanted");
  CHECK(posted->answered.status == 405);
  CHECK(header_of(posted, "Allow") == "PUT");
}

TEST_CASE("A client without the right follows as no replica, although it may read targets", "[fleet]") {
  AccessLoop t;
  CHECK(t.ask(stream_path, "")->answered.status == 401);
  CHECK(t.ask(stream_path, "stranger")->answered.status == 401);
  const ExchangePtr refused = t.ask(stream_path, "a");
  CHECK(refused->answered.status == 403);
  CHECK_THAT(refused->answered.body, Contains("replica: true"));
  CHECK(t.loop.request("PUT", "/v1/replica/wanted", {"Authorization", "a"}, "192.0.2.1")->answered.status == 403);
  t.access->joined.insert("a");
  CHECK(t.ask(stream_path, "a")->answered.status == 404);
}

TEST_CASE("A replica that does not lead says which one does, and wants need a stream", "[fleet]") {
  ReplicaLoop t(zone_of(1), 2);
  REQUIRE(t.leader() >= 0);
  const auto leader = static_cast<std::size_t>(t.leader());
  const std::size_t other = 1 - leader;
  const std::string stranger = R"({"schema":1,"replica":"stranger","version":1,"targets":[]})";
  const HttpResponse at_other = put_wanted(t, leader, other, stranger);
  CHECK(at_other.status == 503);
  CHECK_THAT(at_other.body, Contains(fmt::format("http://127.0.0.1:{}", ReplicaLoop::port_of(leader))));
  const HttpResponse without = put_wanted(t, other, leader, stranger);
  CHECK(without.status == 409);
  CHECK_THAT(without.body, Contains("stranger has no stream"));
  CHECK(put_wanted(t, other, leader, "{").status == 400);
  CHECK(put_wanted(t, other, leader, R"({"schema":9,"replica":"a","version":1,"targets":[]})").status == 409);
}
