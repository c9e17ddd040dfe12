// Topics that come and go, listeners that leave while they are notified, limits, and the end of a fleet.
#include <fmt/format.h>

#include "fleet/fleet_core.hpp"
#include "fleet/fleet_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

const char* const one_node = R"({"nodes": [{"name": "n{i}", "count": 8}]})";

// Throws, or answers; counts its calls.
class OddResolver final : public ClusterResolver {
 public:
  OddResolver(Runtime runtime, bool throws) : ClusterResolver(std::move(runtime)), throws_(throws) {}
  std::string describe() const override { return "odd"; }
  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override {
    ++asked;
    if (throws_) throw std::runtime_error("a fault of its own");
    ClusterSpec spec;
    spec.set_job("worker", std::vector<std::string>{"10.0.0.1:8470"});
    co_return spec;
  }
  int asked = 0;

 private:
  bool throws_;
};

Target target_of(const std::string& text) { return value_of(Target::parse(text)); }

}  // namespace

TEST_CASE("a target without listeners is followed a while longer, and is polled at once when a listener comes back") {
  FleetLoop t(one_node);
  const auto topic = t.tpu("n0");
  t.pass(30);
  CHECK(t.asked_for_nodes() == 0);
  {
    Ear ear;
    topic->listen(ear);
    t.pass(30);
  }
  CHECK(topic->listeners() == 0);
  std::uint64_t asked = t.asked_for_nodes();
  t.pass(290);
  CHECK(t.asked_for_nodes() > asked + 20);
  t.pass(30);
  asked = t.asked_for_nodes();
  t.pass(600);
  CHECK(t.asked_for_nodes() == asked);
  CHECK(topic->known().status);
  CHECK(t.age(*topic) > 600);
  Ear ear;
  topic->listen(ear);
  t.pass(0.5);
  CHECK(t.asked_for_nodes() == asked + 1);
  CHECK(t.age(*topic) <= 0.5);
  CHECK(ear.sent == 1);
}

TEST_CASE("a listener that comes back while the target is still followed causes no poll") {
  FleetLoop t(one_node);
  const auto topic = t.tpu("n0");
  {
    Ear ear;
    topic->listen(ear);
    t.pass(60);
  }
  t.pass(100);
  const std::uint64_t asked = t.asked_for_nodes();
  Ear ear;
  topic->listen(ear);
  t.poll();
  CHECK(t.asked_for_nodes() == asked);
  t.pass(600);
  CHECK(t.age(*topic) < 13);
}

TEST_CASE("a topic without listeners for an hour is forgotten, unless it is held") {
  FleetLoop t(one_node);
  {
    Ear ear;
    t.tpu("n0")->listen(ear);
    t.pass(1);
  }
  const auto held = t.tpu("n1");
  t.pass(3500);
  CHECK(t.fleet->topics().size() == 2);
  t.pass(130);
  REQUIRE(t.fleet->topics().size() == 1);
  CHECK(t.fleet->topics().front() == held);
  CHECK(t.time->next_alarm().has_value());
}

TEST_CASE("a target is one however it is written") {
  FleetLoop t(one_node);
  CHECK(t.topic("tpu:n0,zone=z,project=p") == t.topic("tpu:n0,project=p,zone=z"));
  CHECK(t.topic("tpu:n0,zone=z,project=p")->target() == "tpu:n0,project=p,zone=z");
  const Result<std::shared_ptr<fleet::Topic>> wrong = t.fleet->topic(target_of("tpu:n0,zoen=z"));
  check_failure(wrong, Errc::invalid_argument, "zoen");
  check_failure(t.fleet->topic(target_of("tpu:" + std::string(5000, 'n') + ",project=p,zone=z")), Errc::limit_exceeded, "bytes");
}

TEST_CASE("more targets than the service takes are refused, once none of them can be forgotten") {
  fleet::FleetOptions options;
  options.max_targets = 3;
  FleetLoop t(one_node, options);
  std::deque<Ear> ears(3);
  t.tpu("n0")->listen(ears[0]);
  t.tpu("n1")->listen(ears[1]);
  (void)t.tpu("n2");
  const auto last = t.tpu("n3");  // in the place of the topic without listeners
  last->listen(ears[2]);
  CHECK(t.fleet->topics().size() == 3);
  const Result<std::shared_ptr<fleet::Topic>> refused = t.fleet->topic(target_of("tpu:n4,project=p,zone=z"));
  check_failure(refused, Errc::limit_exceeded, "3 targets");
  CHECK(!refused.error().hint().empty());
  CHECK(t.tpu("n0")->listeners() == 1);
}

TEST_CASE("a target that only lingers makes room for a new one, the longest left first") {
  fleet::FleetOptions options;
  options.max_targets = 3;
  FleetLoop t(one_node, options);
  Ear stays;
  t.tpu("n0")->listen(stays);
  for (const char* const name : {"n1", "gone"}) {
    Ear ear;
    t.tpu(name)->listen(ear);
    t.pass(20);
  }
  const auto next = t.tpu("n3");
  Ear ear;
  next->listen(ear);
  CHECK(t.fleet->topics().size() == 3);
  CHECK_FALSE(t.fleet->has_topic(target_of("tpu:n1,project=example-proj,zone=us-central2-b")));
  t.pass(1);
  CHECK(next->known().status);
  CHECK(t.tpu("n4")->listeners() == 0);  // in the place of the target that does not exist
  CHECK(t.fleet->has_topic(target_of("tpu:n0,project=example-proj,zone=us-central2-b")));
}

TEST_CASE("a listener may leave, remove others and bring new ones while it is notified") {
  FleetLoop t(one_node);
  const auto topic = t.tpu("n0");
  auto leaving = std::make_unique<Ear>();
  auto removed = std::make_unique<Ear>();
  Ear remover;
  Ear adding;
  Ear added;
  Ear last;
  for (Ear* const ear : {leaving.get(), &remover, removed.get(), &adding, &last}) topic->listen(*ear);
  leaving->then = [&leaving] { leaving.reset(); };
  remover.then = [&removed] { removed.reset(); };
  adding.then = [&] {
    if (!added.is_linked()) topic->listen(added);
    CHECK(topic->listeners() == 4);
  };
  t.pass(1);
  CHECK(!leaving);
  CHECK(!removed);
  CHECK(last.sent == 1);
  CHECK(added.sent == 0);
  t.pass(10);
  CHECK(added.sent >= 1);
  CHECK(added.sent == last.sent - 1);
}

TEST_CASE("a fleet that is closed by a listener polls no more, and its topics stay") {
  FleetLoop t(one_node);
  Ear ear;
  Ear other;
  const auto topic = t.tpu("n0");
  topic->listen(ear);
  t.tpu("n1")->listen(other);
  ear.then = [&t] { t.fleet->close(); };
  t.pass(1);
  CHECK(ear.sent == 1);
  CHECK(topic->known().status);
  const std::uint64_t asked = t.asked_for_nodes();
  topic->refresh_soon();
  Ear late;
  topic->listen(late);
  t.fleet->close();
  t.pass(1000);
  CHECK(t.asked_for_nodes() == asked);
  CHECK(topic->known().status);
  CHECK(!t.time->next_alarm().has_value());
  check_failure(t.fleet->topic(target_of("tpu:n7,project=p,zone=z")), Errc::cancelled, "stops");
}

TEST_CASE("a fleet may be closed during a poll, and dropped while a topic is held") {
  FleetLoop t(R"({"nodes": [{"name": "n{i}", "count": 8}], "faults": [{"match": {"route": "nodes.get"}, "fault": "stall", "bytes": 0}]})");
  Ear ear;
  const auto topic = t.tpu("n0");
  topic->listen(ear);
  t.pass(1);
  t.fleet->close();
  t.pass(1);
  CHECK(!t.time->next_alarm().has_value());
  CHECK(topic->known().trouble.empty());
  t.fleet = fleet::make_fleet(t.runtime);
  const auto held = t.tpu("n1");
  Ear another;
  held->listen(another);
  t.pass(1);
  t.fleet = fleet::make_fleet(t.runtime);
  t.pass(1);
  Ear late;
  held->listen(late);
  held->refresh_soon();
  CHECK(!held->since(0));
  CHECK(!t.time->next_alarm().has_value());
}

TEST_CASE("a runtime that is closed ends the asking with a word of why") {
  FleetLoop t(one_node);
  Ear ear;
  const auto topic = t.tpu("n0");
  topic->listen(ear);
  t.pass(5);
  asio::co_spawn(t.io, t.runtime.close(), [](std::exception_ptr) {});
  t.pass(5);
  CHECK(!topic->known().trouble.empty());
  const std::uint64_t asked = t.asked_for_nodes();
  Ear late;
  topic->listen(late);
  t.pass(100);
  CHECK(t.asked_for_nodes() == asked);
}

TEST_CASE("a resolver that throws harms no other topic") {
  CloudLoop t(one_node);
  const auto sound = std::make_shared<OddResolver>(t.runtime, false);
  const auto faulty = std::make_shared<OddResolver>(t.runtime, true);
  const auto make = [&](Runtime, const std::string& target) {
    return Result<std::shared_ptr<ClusterResolver>>(target.starts_with("tpu:bad") ? faulty : sound);
  };
  const std::shared_ptr<fleet::Fleet> fleet = fleet::make_fleet(t.runtime, fleet::FleetOptions(), make);
  Ear ear;
  Ear other;
  const auto good = value_of(fleet->topic(target_of("tpu:good,project=p,zone=z")));
  const auto bad = value_of(fleet->topic(target_of("tpu:bad,project=p,zone=z")));
  good->listen(ear);
  bad->listen(other);
  for (int i = 1; i <= 60; ++i) t.advance_to(i);
  CHECK(good->known().generation == 1);
  REQUIRE(bad->known().failure);
  CHECK_THAT(bad->known().failure->what(), Contains("a fault of its own"));
  CHECK(sound->asked > 6);
  CHECK(faulty->asked == 2);
  fleet->close();
  t.poll();
}

TEST_CASE("five thousand targets of some zones are followed by a list a zone and look", "[long]") {
  std::string nodes;
  for (int zone = 0; zone < 5; ++zone) {
    if (zone > 0) nodes += ", ";
    nodes += fmt::format(R"({{"name": "n{{i}}", "zone": "z{}", "count": 1000, "accelerator_type": "v4-8"}})", zone);
  }
  FleetLoop t(R"({"nodes": [)" + nodes + "]}");
  std::deque<Ear> ears(5000);
  for (int i = 0; i < 5000; ++i) t.topic(fmt::format("tpu:n{},project=example-proj,zone=z{}", i / 5, i % 5))->listen(ears[i]);
  t.pass(60);
  CHECK(t.asked("nodes.get") == 0);
  CHECK(t.asked("nodes.list") <= 5 * 12);
  std::size_t known = 0;
  for (const auto& topic : t.fleet->topics()) known += topic->known().generation;
  CHECK(known == 5000);
  check_failure(t.fleet->topic(target_of("tpu:more,project=p,zone=z")), Errc::limit_exceeded, "5000");
}

TEST_CASE("a ration lets all followers together ask as often as the quota has it") {
  FleetLoop t(one_node);
  CHECK(t.fleet->fallback_schedule().to_header() == "after=60, spread=60, poll=60");
  std::deque<Ear> ears(10'000);
  const auto topic = t.tpu("n0");
  for (Ear& ear : ears) topic->listen(ear);
  t.pass(2);
  CHECK(t.fleet->fallback_schedule().to_header() == "after=60, spread=2000, poll=2000");
}

TEST_CASE("an epoch is the time of the start in seconds, and positions count all changes") {
  FleetLoop t(one_node);
  CHECK(t.fleet->position().revision == 0);
  const std::uint64_t epoch = t.fleet->position().epoch;
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(t.time->wall_now().time_since_epoch()).count();
  CHECK(epoch == static_cast<std::uint64_t>(now));
  t.pass(2);
  CHECK(fleet::make_fleet(t.runtime)->position().epoch == epoch + 2);
}
