// Rights that change while an answer is sent: the rights at the moment of sending decide.
#include <catch2/catch.hpp>

#include <functional>

#include "fleet/http/scripted_access.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

constexpr int many = 600;  // whose summaries need more than one piece

void show_many(AccessLoop& t) {
  for (int i = 0; i < many; ++i) t.loop.clouds->named(fmt::format("tpu:trainer-{},project=p,zone=z", i))->show(workers_of(2, 2));
}

ExchangePtr list_stream(AccessLoop& t, std::function<void(ScriptedExchange&)> on_chunk) {
  const auto exchange = std::make_shared<ScriptedExchange>();
  exchange->time = t.loop.time;
  exchange->asked.method = "GET";
  exchange->asked.target = "/v1/clusters";
  exchange->asked.host = "127.0.0.1:7070";
  exchange->asked.peer = "192.0.2.1";
  exchange->asked.headers.add("Authorization", "a");
  exchange->asked.headers.add("Accept", "text/event-stream");
  exchange->on_chunk = [raw = exchange.get(), on_chunk] { on_chunk(*raw); };
  t.loop.start(exchange);
  t.loop.pass(100ms);
  return exchange;
}

int summaries(const ScriptedExchange& exchange) {
  return static_cast<int>(
      std::count_if(exchange.events.begin(), exchange.events.end(), [](const auto& event) { return event.type == "summary"; }));
}

}  // namespace

TEST_CASE("A right that is withdrawn while a stream waits for its position opens no stream", "[fleet]") {
  AccessLoop t;
  const bool is_withdrawn = GENERATE(true, false);
  const ExchangePtr waiting = t.ask(AccessLoop::trainer, "a", {"Accept", "text/event-stream", "Last-Event-ID", "51.3"});
  CHECK(waiting->events.empty());
  if (is_withdrawn) t.access->rights["a"].clear();
  ++t.access->changes;
  t.loop.topic->show(workers_of(2, 1));
  t.loop.pass(15s);
  if (is_withdrawn) {
    CHECK(waiting->events.empty());
    CHECK(waiting->answered.status == 403);
  } else {
    CHECK_THAT(waiting->types(), Contains("beat"));
    CHECK_FALSE(waiting->is_done);
  }
}

TEST_CASE("A proof that is withdrawn while a stream waits for its position opens no stream", "[fleet]") {
  AccessLoop t;
  const ExchangePtr waiting = t.ask(AccessLoop::trainer, "a", {"Accept", "text/event-stream", "Last-Event-ID", "51.3"});
  t.access->proof->is_over = true;
  t.loop.topic->show(workers_of(2, 1));
  t.loop.pass(1s);
  CHECK(waiting->events.empty());
  CHECK(waiting->answered.status == 401);
}

TEST_CASE("A proof that is withdrawn while the list is made gets no list", "[fleet]") {
  AccessLoop t;
  CHECK(t.ask("/v1/clusters", "a")->answered.status == 200);
  t.access->proof->is_over = true;
  CHECK(t.ask("/v1/clusters", "a")->answered.status == 401);
}

TEST_CASE("The rest of a round of the list is not sent after a right was withdrawn, or a proof has ended", "[fleet][list]") {
  AccessLoop t;
  show_many(t);
  const ExchangePtr whole = list_stream(t, [](ScriptedExchange&) {});
  REQUIRE(summaries(*whole) == many + 1);
  const bool is_of_rights = GENERATE(true, false);
  const ExchangePtr cut = list_stream(t, [&t, is_of_rights](ScriptedExchange& exchange) {
    if (summaries(exchange) == 0) return;
    if (is_of_rights && !t.access->rights["a"].empty()) {
      t.access->rights["a"].clear();
      ++t.access->changes;
    }
    if (!is_of_rights) t.access->proof->is_over = true;
  });
  CHECK(summaries(*cut) > 0);
  CHECK(summaries(*cut) < many);
  CHECK(cut->is_done);
  CHECK(cut->is_stream_ended);
  // A client that comes back with its position gets the rest, if it may.
  const std::string last = cut->events.back().id;
  t.access->rights["a"] = {"trainer"};
  t.access->proof = std::make_shared<fleet::LivingProof>();
  ++t.access->changes;
  const ExchangePtr again = t.ask("/v1/clusters", "a", {"Accept", "text/event-stream", "Last-Event-ID", last});
  t.loop.pass(100ms);
  CHECK(summaries(*again) == many + 1);
}
