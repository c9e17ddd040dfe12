// The barriers that meet at the service: hellos, rights, limits, and the list of runs.
#include <catch2/catch.hpp>

#include "fleet/http/scripted_access.hpp"
#include "fleet/replicas/replica_loop.hpp"
#include "fleet/runs/run_desk.hpp"
#include "meeting/wire/meeting_documents.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

constexpr auto first_run = "/v1/runs/0123456789abcdef/members/";

std::string hello_from(char process, std::int64_t sequence, std::string tasks = "worker:0-1", std::int64_t call = 0) {
  meeting::Hello hello;
  hello.incarnation = std::string(16, process);
  hello.sequence = sequence;
  hello.call = call;
  hello.generation = 1;
  hello.tasks = std::move(tasks);
  return meeting::write_hello(hello);
}

ExchangePtr say(ServiceLoop& loop, std::string path, std::string body, const std::string& who = {}, std::string peer = "127.0.0.1") {
  const auto exchange = std::make_shared<ScriptedExchange>();
  exchange->time = loop.time;
  exchange->asked.method = "PUT";
  exchange->asked.target = std::move(path);
  exchange->asked.host = "127.0.0.1:7070";
  exchange->asked.peer = std::move(peer);
  exchange->asked.body = std::move(body);
  if (!who.empty()) exchange->asked.headers.add("Authorization", who);
  loop.start(exchange);
  return exchange;
}

}  // namespace

TEST_CASE("The service lists who is at its barriers", "[fleet]") {
  ServiceLoop loop;
  CHECK(loop.request("GET", "/v1/runs")->answered.body == R"({"runs":[]})");
  CHECK(say(loop, first_run + std::string("1"), hello_from('a', 1))->answered.status == 200);
  loop.pass(std::chrono::seconds(3));
  CHECK(loop.request("GET", "/v1/runs")->answered.body ==
        R"({"runs":[{"run":"0123456789abcdef","tasks":"worker:0-1","waiting_ms":3000,"roll":{"members":2,"here":1,"call":)" +
            std::to_string(value_of(meeting::read_runs(loop.request("GET", "/v1/runs")->answered.body)).at(0).roll.call) +
            R"(,"state":"waiting","generation":0,"missing":[{"task":"worker:0","why":"not heard from"}]}}]})");
  loop.pass(std::chrono::seconds(20));  // a run that no task speaks of is forgotten
  CHECK(loop.request("GET", "/v1/runs")->answered.body == R"({"runs":[]})");
}

TEST_CASE("A hello that waits is answered when there is news, or after a while", "[fleet]") {
  ServiceLoop loop;
  const auto answer = [](const ExchangePtr& exchange) { return value_of(meeting::read_answer(exchange->answered.body)); };
  const ExchangePtr first = say(loop, first_run + std::string("0"), hello_from('a', 1));
  const std::int64_t call = answer(first).call;
  const ExchangePtr waits = say(loop, first_run + std::string("0"), hello_from('a', 2, "worker:0-1", call));
  loop.pass(std::chrono::milliseconds(500));
  CHECK_FALSE(waits->is_done);
  const ExchangePtr second = say(loop, first_run + std::string("1"), hello_from('b', 1));
  CHECK(answer(waits).call == call + 1);
  CHECK(answer(waits).here == 2);
  const ExchangePtr confirms = say(loop, first_run + std::string("0"), hello_from('a', 3, "worker:0-1", call + 1));
  CHECK_FALSE(confirms->is_done);
  CHECK(answer(say(loop, first_run + std::string("1"), hello_from('b', 2, "worker:0-1", call + 1))).is_released());
  CHECK(answer(confirms).is_released());
}

TEST_CASE("Hellos that are none, or of another list, are refused", "[fleet]") {
  ServiceLoop loop;
  const auto status = [&loop](const std::string& path, const std::string& body) { return say(loop, path, body)->answered.status; };
  const std::string good = hello_from('a', 1);
  CHECK(status(first_run + std::string("2"), good) == 400);
  CHECK(status(first_run + std::string("-1"), good) == 400);
  CHECK(status(first_run + std::string("x"), good) == 400);
  CHECK(status("/v1/runs/0123456789abcdeg/members/0", good) == 400);
  CHECK(status("/v1/runs/0123/members/0", good) == 400);
  CHECK(status("/v1/runs/", good) == 400);
  CHECK(status(first_run + std::string("0"), "{}") == 400);
  CHECK_THAT(say(loop, first_run + std::string("0"), "{}")->answered.body, Contains(R"("code":"invalid_argument")"));
  CHECK(status(first_run + std::string("0"), hello_from('a', 1, "")) == 409);  // the run is there with its tasks
  CHECK(status(first_run + std::string("0"), hello_from('a', 1, "worker:0-2")) == 409);
  CHECK(status("/v1/runs/1123456789abcdef/members/0", hello_from('a', 1, "worker:9-0")) == 400);
  CHECK(status(first_run + std::string("0"), good) == 200);
  const ExchangePtr other = say(loop, first_run + std::string("0"), hello_from('b', 1), "", "192.0.2.7");
  CHECK(other->answered.status == 409);
  CHECK_THAT(other->answered.body, Contains("127.0.0.1"));
  CHECK(loop.request("POST", "/v1/runs/0123456789abcdef/members/0")->answered.status == 405);
}

TEST_CASE("Tasks of one host are not limited as its streams are", "[fleet]") {
  AccessLoop t;
  t.access->meeting.insert("a");
  const auto hello = [&t](std::size_t task, std::int64_t sequence, std::int64_t call) {
    meeting::Hello said = value_of(meeting::read_hello(hello_from('a', sequence, "worker:0-63", call)));
    said.incarnation = fmt::format("{:016x}", task);
    return say(t.loop, fmt::format("{}{}", first_run, task), meeting::write_hello(said), "a", "192.0.2.1");
  };
  for (std::size_t task = 0; task < 40; ++task) {
    const std::int64_t call = value_of(meeting::read_answer(hello(task, 1, 0)->answered.body)).call;
    const ExchangePtr waits = hello(task, 2, call);
    CHECK_FALSE(waits->is_done);
  }
}

TEST_CASE("Barriers of the service need a right", "[fleet]") {
  AccessLoop t;
  CHECK(say(t.loop, first_run + std::string("0"), hello_from('a', 1), "stranger")->answered.status == 401);
  const ExchangePtr refused = say(t.loop, first_run + std::string("0"), hello_from('a', 1), "a");
  CHECK(refused->answered.status == 403);
  CHECK_THAT(refused->answered.body, Contains("barrier: true"));
  CHECK(t.ask("/v1/runs", "a")->answered.status == 403);
  t.access->meeting.insert("a");
  CHECK(say(t.loop, first_run + std::string("0"), hello_from('a', 1), "a")->answered.status == 200);
  CHECK(t.ask("/v1/runs", "a")->answered.status == 200);
}

TEST_CASE("Of several replicas the one that leads keeps the rolls", "[fleet]") {
  ReplicaLoop t(zone_of(1), 2);
  REQUIRE(t.leader() >= 0);
  const auto leader = static_cast<std::size_t>(t.leader());
  const auto put = [&t](std::size_t from, std::size_t to) {
    HttpRequest request(value_of(Url::parse(fmt::format("http://127.0.0.1:{}{}0", ReplicaLoop::port_of(to), first_run))));
    request.method = HttpMethod::put;
    request.headers.add("Content-Type", "application/json");
    request.body = hello_from('a', 1);
    const ExchangeOptions options;
    const auto sent = t.start(t.ones[from].transport->send(request, options));
    t.pass(1);
    return value_of(sent.value());
  };
  const HttpResponse at_other = put(leader, 1 - leader);
  CHECK(at_other.status == 503);
  CHECK_THAT(at_other.body, Contains(fmt::format("http://127.0.0.1:{}", ReplicaLoop::port_of(leader))));
  CHECK(put(1 - leader, leader).status == 200);
}

TEST_CASE("The memory for runs is limited, for one client and for all", "[fleet]") {
  TestRuntime t;
  fleet::RunDesk desk(shared_impl_of(t.runtime));
  const auto begin = [&desk](int number, const std::string& tasks, const std::string& holder) {
    return desk.find_or_begin(fmt::format("{:016x}", number), tasks, holder);
  };
  CHECK(begin(1, "worker:0-49999", "greedy").has_value());
  CHECK(begin(2, "worker:0-49999", "greedy").error().code() == Errc::limit_exceeded);
  CHECK(begin(3, "worker:0-9", "modest").has_value());
  t.time->advance(std::chrono::seconds(60));
  CHECK(begin(2, "worker:0-49999", "greedy").has_value());
  for (int i = 0; i < static_cast<int>(fleet::RunDesk::max_runs) - 1; ++i) REQUIRE(begin(100 + i, "w:0", "many").has_value());
  CHECK_THAT(begin(99, "w:0", "other").error().what(), Contains("which is the limit"));
}
