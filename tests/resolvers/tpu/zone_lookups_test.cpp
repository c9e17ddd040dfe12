// Many TPUs of one zone at once: the look-ups by get, the look-ups by a shared list, and the case of a list that does not help.
#include <algorithm>
#include <asio/bind_cancellation_slot.hpp>
#include <catch2/catch.hpp>
#include <deque>

#include "rollcall/tpu_resolver.hpp"
#include "rollcall/union_resolver.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

std::string node_text(int number, int generation) {
  return fmt::format(
      R"({{"name":"projects/p/locations/z/nodes/n-{}","state":"READY","networkEndpoints":[{{"ipAddress":"10.{}.{}.{}","port":8470}}]}})",
      number, generation, number / 250, number % 250);
}

// A zone of many TPUs, with counts of its requests.
class Zone {
 public:
  explicit Zone(int count) : size(count) {}
  int size;
  int generation = 0;  ///< of the addresses
  int hidden = -1;     ///< the list leaves it out
  int broken = -1;     ///< the list contains it malformed
  int list_status = 200;
  Duration list_takes = 50ms;
  int gets = 0;
  int lists = 0;

  ScriptedTransport::Answer operator()(const HttpRequest& request) {
    const bool is_list = request.url.target.find("/nodes?") != std::string::npos;
    ScriptedTransport::Answer answer(is_list ? list(request.url.target) : node(request.url.target));
    answer.after = is_list ? list_takes : Duration(50ms);
    return answer;
  }

 private:
  HttpResponse node(const std::string& target) {
    ++gets;
    const int number = std::stoi(target.substr(target.rfind('-') + 1));
    if (number >= size) return ScriptedTransport::reply(404, R"({"error":{"code":404,"status":"NOT_FOUND","message":"no such node"}})");
    return ScriptedTransport::reply(200, node_text(number, generation));
  }
  HttpResponse list(const std::string& target) {
    ++lists;
    if (list_status != 200) return ScriptedTransport::reply(list_status, R"({"error":{"message":"not for you"}})");
    const std::size_t at = target.find("pageToken=");
    const int from = at == std::string::npos ? 0 : std::stoi(target.substr(at + 10));
    std::string body = R"({"nodes":[)";
    for (int i = from; i < std::min(size, from + 1000); ++i) {
      if (i == hidden) continue;
      if (!body.ends_with('[')) body += ',';
      body +=
          i == broken ? fmt::format(R"({{"name":"projects/p/locations/z/nodes/n-{}","networkEndpoints":7}})", i) : node_text(i, generation);
    }
    body += "]";
    if (from + 1000 < size) body += fmt::format(R"(,"nextPageToken":"{}")", from + 1000);
    return ScriptedTransport::reply(200, body + "}");
  }
};

class AskedZone {
 public:
  AskedZone() {}
  std::optional<Result<ClusterSpec>> answer;
  asio::cancellation_signal signal;
};

class Crowd : public TestRuntime {
 public:
  explicit Crowd(int size, Limits limits = {}) : TestRuntime({}, limits), zone(std::make_shared<Zone>(size)) {
    transport->respond = [server = zone](const HttpRequest& request) { return (*server)(request); };
  }

  std::shared_ptr<TpuResolver> tpu(int number) {
    return make_tpu_resolver(runtime, TpuOptions(fmt::format("n-{}", number)).project("p").zone("z"));
  }
  /// This many calls, which begin in one turn of the event loop.
  void ask(int from, int count, CallOptions options = CallOptions()) {
    for (int i = from; i < from + count; ++i) {
      AskedZone& one = all.emplace_back();
      auto keep = [&one](std::exception_ptr error, Result<ClusterSpec> answer) {
        if (error) std::rethrow_exception(error);
        one.answer.emplace(std::move(answer));
      };
      asio::co_spawn(io, tpu(i)->try_cluster_spec(options), asio::bind_cancellation_slot(one.signal.slot(), keep));
    }
    poll();
  }
  void finish_all() {
    for (poll();; poll()) {
      const auto is_open = [](const AskedZone& one) { return !one.answer; };
      if (std::none_of(all.begin(), all.end(), is_open)) return;
      const std::optional<SteadyTime> next = time->next_alarm();
      REQUIRE(next);
      time->advance_to(*next);
    }
  }
  std::string address(std::size_t i) const { return all.at(i).answer->value().task_address("worker", 0).value(); }
  /// The outcome: the requests, and the number of calls without an answer.
  std::string story() {
    finish_all();
    const auto failed = std::count_if(all.begin(), all.end(), [](const AskedZone& one) { return !*one.answer; });
    return fmt::format("{} gets, {} lists, {} failed", zone->gets, zone->lists, failed);
  }

  std::shared_ptr<Zone> zone;
  std::deque<AskedZone> all;
};

}  // namespace

TEST_CASE("as many TPUs as the host takes at once are asked for by get; more of them share a list") {
  Crowd few(2000);
  few.ask(0, 71);
  CHECK(few.story() == "71 gets, 0 lists, 0 failed");
  Crowd many(1000);
  many.ask(0, 1000);
  CHECK(many.story() == "8 gets, 1 lists, 0 failed");
  CHECK(many.seconds() < 0.06);
  CHECK(many.address(7) == "10.0.0.7:8470");
  CHECK(many.address(999) == "10.0.3.249:8470");
  Crowd one_by_one(1000);
  one_by_one.ask(0, 1000, CallOptions().with(TpuCallOptions().lookup(TpuLookup::each)));
  CHECK(one_by_one.story() == "1000 gets, 0 lists, 0 failed");
}

TEST_CASE("a union's TPUs share a list as well, and a second page if the first answered enough") {
  Crowd t(1500);
  std::vector<std::shared_ptr<ClusterResolver>> children;
  for (int i = 0; i < 1500; ++i) children.push_back(t.tpu(i));
  const auto spec = t.run(make_union_resolver(t.runtime, std::move(children))->try_cluster_spec());
  REQUIRE(spec.has_value());
  CHECK(spec->num_tasks("worker").value() == 1500);
  CHECK(t.zone->gets == 8);
  CHECK(t.zone->lists == 2);
}

namespace {

// Counts how many resolvers of its kind run at the same time.
class CountedResolver final : public ClusterResolver {
 public:
  CountedResolver(Runtime runtime_handle, int& now, int& max) : ClusterResolver(std::move(runtime_handle)), now_(now), max_(max) {}
  std::string describe() const override { return "counted"; }
  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override { return count<ClusterSpec>(call); }
  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override { return count<ClusterStatus>(call); }

 private:
  template <class Answer>
  asio::awaitable<Result<Answer>> count(Call& call) {
    max_ = std::max(max_, ++now_);
    const Result<void> awake = co_await call.sleep_until(call.started() + 1s);
    --now_;
    if (!awake) co_return awake.error();
    co_return Answer();
  }

  int& now_;
  int& max_;
};

}  // namespace

TEST_CASE("of a union's parts that share nothing, only as many start at once as a host accepts requests") {
  for (const auto& [lookup, max_at_once] : {std::pair(TpuLookup::each, 3), std::pair(TpuLookup::automatic, 10)}) {
    Limits limits;
    limits.requests_in_flight_per_host = 3;
    TestRuntime t({}, limits);
    int now = 0;
    int max = 0;
    std::vector<std::shared_ptr<ClusterResolver>> children;
    for (int i = 0; i < 10; ++i) children.push_back(std::make_shared<CountedResolver>(t.runtime, now, max));
    const auto all = make_union_resolver(t.runtime, std::move(children));
    CHECK(t.run(all->try_cluster_spec(CallOptions().with(TpuCallOptions().lookup(lookup)))));
    CHECK(max == max_at_once);
    CHECK(now == 0);
    max = 0;
    CHECK(t.run(all->try_cluster_status(CallOptions().with(TpuCallOptions().lookup(lookup)))));
    CHECK(max == max_at_once);
    CHECK(now == 0);
  }
}

TEST_CASE("a list answers only look-ups that were waiting before it began") {
  Crowd t(1000);
  t.ask(0, 200);
  t.zone->generation = 1;
  t.ask(0, 200);
  CHECK(t.story() == "8 gets, 2 lists, 0 failed");
  CHECK(t.address(199) == "10.0.0.199:8470");
  CHECK(t.address(200) == "10.1.0.0:8470");
  CHECK(t.address(399) == "10.1.0.199:8470");
}

TEST_CASE("nodes that the list does not contain are requested by get, which reports the reason") {
  Crowd t(200);
  t.zone->hidden = 20;
  t.zone->broken = 30;
  t.ask(0, 201);
  CHECK(t.story() == "11 gets, 1 lists, 1 failed");
  const Failure failure = t.all.at(200).answer->error();
  CHECK(failure.code() == Errc::not_found);
  Crowd alone(200);
  alone.ask(200, 1);
  alone.finish_all();
  const Failure by_get = alone.all.front().answer->error();
  CHECK(failure.what() == by_get.what());
  CHECK(failure.target() == by_get.target());
  CHECK(failure.hint() == by_get.hint());
}

TEST_CASE("a list that is refused costs one request of each Runtime, and no answer") {
  for (const int status : {403, 404, 400}) {
    Crowd t(200);
    t.zone->list_status = status;
    t.ask(0, 200);
    CHECK(t.story() == "200 gets, 1 lists, 0 failed");
    t.ask(0, 200);
    CHECK(t.story() == "400 gets, 1 lists, 0 failed");
    t.time->advance_to(t.time->now() + 24h);
    t.ask(0, 200);
    CHECK(t.story() == "600 gets, 1 lists, 0 failed");
  }
}

TEST_CASE("a zone with many unrelated TPUs is not read to its end, nor again soon") {
  Crowd t(100'000);
  t.ask(50'000, 100);
  CHECK(t.story() == "100 gets, 1 lists, 0 failed");
  t.ask(50'000, 100);
  CHECK(t.story() == "200 gets, 1 lists, 0 failed");
  t.time->advance_to(t.time->now() + 10min);
  t.ask(50'000, 100);
  CHECK(t.story() == "300 gets, 2 lists, 0 failed");
}

TEST_CASE("a cancelled look-up does not affect the answers of others") {
  Crowd t(200);
  t.ask(0, 200);
  t.all.at(8).signal.emit(asio::cancellation_type::terminal);  // the first look-up that shares the list
  t.all.at(100).signal.emit(asio::cancellation_type::terminal);
  CHECK(t.story() == "8 gets, 1 lists, 2 failed");
  CHECK(t.all.at(8).answer->error().code() == Errc::cancelled);
  CHECK(t.all.at(100).answer->error().code() == Errc::cancelled);
}

TEST_CASE("when all look-ups are cancelled, the list ends") {
  Crowd t(200);
  t.zone->list_takes = 1h;
  t.ask(0, 200, CallOptions().timeout(24h));
  for (AskedZone& one : t.all) one.signal.emit(asio::cancellation_type::terminal);
  CHECK(t.story() == "8 gets, 1 lists, 200 failed");
  CHECK(t.transport->in_flight == 0);
  t.zone->list_takes = 50ms;
  t.ask(0, 200);
  CHECK(t.story() == "16 gets, 2 lists, 200 failed");
}

TEST_CASE("a list that takes too long leaves each look-up half of its time") {
  Crowd t(200);
  t.zone->list_takes = 1h;
  t.ask(0, 100, CallOptions().timeout(60s));
  t.ask(100, 100, CallOptions().timeout(10s));
  CHECK(t.story() == "200 gets, 2 lists, 0 failed");
  CHECK(t.seconds() < 31);
  t.ask(0, 200);
  CHECK(t.story() == "400 gets, 2 lists, 0 failed");
}

TEST_CASE("with few permits even a few TPUs share a list, but never fewer than eight") {
  Limits limits;
  limits.requests_in_flight_per_host = 2;
  Crowd t(100, limits);
  t.ask(0, 15);
  CHECK(t.story() == "15 gets, 0 lists, 0 failed");
  Crowd more(100, limits);
  more.ask(0, 16);
  CHECK(more.story() == "8 gets, 1 lists, 0 failed");
}
