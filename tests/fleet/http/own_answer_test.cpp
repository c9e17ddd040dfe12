// Answers that are rendered for one client: duplicate names, sending in pieces, and the client's share of memory.
#include "fleet/http/own_answer.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "fleet/http/scripted_access.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

const std::string trainer_target = "tpu:trainer,project=p,zone=z";

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

ExchangePtr exchange_of(ServiceLoop& loop, std::string method, std::string target, std::string body = {}) {
  const auto exchange = std::make_shared<ScriptedExchange>();
  exchange->time = loop.time;
  exchange->asked.method = std::move(method);
  exchange->asked.target = std::move(target);
  exchange->asked.host = "127.0.0.1:7070";
  exchange->asked.peer = "127.0.0.1";
  exchange->asked.body = std::move(body);
  return exchange;
}

std::string whole_of(const ExchangePtr& exchange) { return exchange->is_streamed ? exchange->written : exchange->answered.body; }

std::string discovery(const std::string& names, const std::string& version = "") {
  return fmt::format(R"({{"version_info": "{}", "resource_names": [{}]}})", version, names);
}

constexpr int long_list = 5000;  // members: about 1 MB

}  // namespace

TEST_CASE("a target that is named many times, in any spelling, is answered once", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 2));
  std::string query;
  for (int i = 0; i < 32; ++i) query += "&target=" + trainer_target + "&target=tpu:tr%2561iner,zone=z,project=p";
  const ExchangePtr scrape = loop.request("GET", "/v1/prometheus?" + query.substr(1));
  REQUIRE(scrape->answered.status == 200);
  CHECK(count_of(scrape->answered.body, "10.0.0.1:8470") == 1);
  const ExchangePtr found =
      exchange_of(loop, "POST", "/v3/discovery:endpoints",
                  discovery(R"("tpu:trainer,project=p,zone=z", "tpu:trainer,zone=z,project=p", "tpu:trainer,project=p,zone=%7a")"));
  loop.start(found);
  REQUIRE(found->answered.status == 200);
  CHECK(count_of(found->answered.body, "cluster_name") == 1);
}

TEST_CASE("a long answer leaves in pieces, and is whole", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(long_list, long_list));
  for (const bool is_discovery : {false, true}) {
    CAPTURE(is_discovery);
    const std::string names = '"' + trainer_target + '"';
    const ExchangePtr sent = is_discovery ? exchange_of(loop, "POST", "/v3/discovery:endpoints", discovery(names))
                                          : exchange_of(loop, "GET", "/v1/prometheus?target=" + trainer_target);
    std::size_t before = 0;
    std::size_t largest = 0;
    sent->on_chunk = [&] {
      largest = std::max(largest, sent->written.size() - before);
      before = sent->written.size();
    };
    loop.start(sent);
    REQUIRE(sent->answered.status == 200);
    CHECK((sent->is_streamed && sent->is_stream_ended));
    if (!is_discovery) CHECK(largest < 80 * 1024);
    const boost::json::value parsed = boost::json::parse(sent->written);
    if (!is_discovery) {
      CHECK(parsed.as_array().size() == long_list);
      continue;
    }
    CHECK(parsed.as_object().at("resources").as_array().size() == 1);
    const std::string version(parsed.as_object().at("version_info").as_string());
    const ExchangePtr same = exchange_of(loop, "POST", "/v3/discovery:endpoints", discovery(names, version));
    loop.start(same);
    CHECK(same->answered.status == 304);
    const ExchangePtr other = exchange_of(loop, "POST", "/v3/discovery:endpoints", discovery(names, version + "0"));
    loop.start(other);
    CHECK(other->written == sent->written);
  }
  const ExchangePtr packed = loop.request("GET", "/v1/prometheus?target=" + trainer_target, {"Accept-Encoding", "gzip"});
  CHECK(header_of(packed, "Content-Encoding") == "gzip");
  CHECK(packed->is_stream_ended);
  CHECK((packed->written.starts_with("\x1f\x8b") && packed->written.size() < 100'000));
}

TEST_CASE("nothing is rendered for HEAD", "[fleet]") {
  AccessLoop t;
  t.loop.topic->show(workers_of(long_list, long_list));
  t.access->rights["a"] = {"trainer"};
  for (const std::string& path : {"/v1/prometheus?target=" + trainer_target, std::string("/v1/prometheus"), std::string("/v1/clusters"),
                                  std::string("/"), AccessLoop::trainer, AccessLoop::trainer + "?view=task&self=10.0.0.1"}) {
    CAPTURE(path);
    const int judged = t.access->judged;
    const ExchangePtr head = t.loop.request("HEAD", path, {"Authorization", "a"}, "192.0.2.1");
    CHECK(head->answered.status == 200);
    CHECK(whole_of(head).empty());
    CHECK(t.access->judged < judged + 5);
  }
}

TEST_CASE("a client that reads too slowly, or may not read any longer, does not get the whole answer", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(long_list, long_list));
  const ExchangePtr slow = exchange_of(loop, "GET", "/v1/prometheus?target=" + trainer_target);
  int pieces = 0;
  slow->on_chunk = [&] {
    ++pieces;
    loop.time->advance_to(loop.time->now() + 20s);
  };
  loop.start(slow);
  CHECK(slow->is_done);
  CHECK_FALSE(slow->is_stream_ended);
  CHECK(pieces < 5);  // 64 kB may take 6 s each, and 30 s once

  AccessLoop t;
  t.access->rights["a"] = {"trainer", "other"};
  t.loop.topic->show(workers_of(long_list, long_list));
  const ExchangePtr cut = exchange_of(t.loop, "GET", "/v1/prometheus?target=" + trainer_target + "&target=tpu:other,project=p,zone=z");
  cut->asked.headers.add("Authorization", "a");
  cut->on_chunk = [&t] {
    t.access->rights["a"] = {"trainer"};
    ++t.access->changes;
  };
  t.loop.start(cut);
  CHECK((cut->is_streamed && cut->is_done));
  CHECK_FALSE(cut->is_stream_ended);
}

TEST_CASE("bytes that are held for a client are its share, until they are not", "[fleet]") {
  const auto all = std::make_shared<FairShares>(1000);
  fleet::OwnBytes first(all, "a");
  CHECK(first.hold(400));
  CHECK_FALSE(first.hold(600));
  CHECK(all->taken() == 400);
  {
    fleet::OwnBytes second(all, "a");
    CHECK_FALSE(second.hold(200));
    CHECK(second.hold(50));
    fleet::OwnBytes other(all, "b");
    CHECK(other.hold(200));
    CHECK(all->taken() == 650);
  }
  CHECK(first.hold(10));
  CHECK(all->taken() == 10);
}
