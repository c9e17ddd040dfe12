// Which targets one request covers, how often new ones are polled, and the schedule for clients that ask the cloud directly.
#include <catch2/catch.hpp>

#include "fleet/rules/project_quota.hpp"
#include "fleet/rules/source_key.hpp"

using namespace rollcall;
using namespace rollcall::fleet;
using namespace std::chrono_literals;

namespace {

Target from_text(const std::string& text) { return Target::parse(text).value(); }

}  // namespace

TEST_CASE("targets of one project and zone have one source, by keys or by full name") {
  CHECK(source_key(from_text("tpu:a,project=p,zone=z")) == "tpu/p/z");
  CHECK(source_key(from_text("tpu:b,zone=z,project=p,job=w")) == "tpu/p/z");
  CHECK(source_key(from_text("tpu:qr/b,zone=z,project=p")) == "tpu/p/z");
  CHECK(source_key(from_text("tpu:projects/p/locations/z/nodes/n")) == "tpu/p/z");
  CHECK(source_key(from_text("tpu:projects/p/locations/y/queuedResources/n")) == "tpu/p/y");
  CHECK(source_key(from_text("gce:g,zone=z,project=p,port=1")) == "gce/p/z");
  CHECK(source_key(from_text("gce:g,region=r,project=p,port=1")) == "gce/p/r");
  CHECK(source_key(from_text("dns:a.example")) == "dns:a.example");
}

TEST_CASE("a list is counted by its pages, everything else by target") {
  CHECK(requests_of_poll(3, 0) == 3);
  CHECK(requests_of_poll(4, 0) == 1);
  CHECK(requests_of_poll(2500, 0) == 3);
  CHECK(requests_of_poll(0, 10) == 20);
  CHECK(requests_of_poll(4, 10) == 21);
  CHECK(is_node(from_text("tpu:a,project=p,zone=z")));
  CHECK_FALSE(is_node(from_text("tpu:qr/a,zone=z,project=p")));
  CHECK_FALSE(is_node(from_text("gce:g,zone=z,project=p,port=1")));
}

TEST_CASE("all zones of a project draw on one quota") {
  CHECK(quota_key("tpu/p/z") == "tpu/p");
  CHECK(quota_key("tpu/p/y") == "tpu/p");
  CHECK(quota_key("dns:a/b") == "dns:a/b");
  CHECK(project_of("gce/example.com:p/z") == "example.com:p");
  CHECK(project_of("dns:a/b").empty());
  ProjectQuota quota(60, 2s);
  quota.note("tpu/p/z", 10);
  quota.note("tpu/p/y", 20);
  CHECK(quota.pause() == 30s);
  quota.note("tpu/p/y", 5);
  CHECK(quota.pause() == 15s);
  quota.note("tpu/p/z", 0);
  CHECK(quota.pause() == 5s);
}

TEST_CASE("new targets are asked for eight times at once, then once a pause") {
  PollBudget budget(2s);
  SteadyTime now{};
  for (int i = 0; i < 8; ++i) {
    CHECK(budget.next() <= now);
    budget.spend(now);
  }
  CHECK(budget.next() == now + 2s);
  now += 4s;
  budget.spend(now);
  CHECK(budget.next() <= now);
  budget.spend(now);
  CHECK(budget.next() > now);
  now += 1h;
  for (int i = 0; i < 8; ++i) budget.spend(now);
  CHECK(budget.next() == now + 2s);
}

TEST_CASE("a schedule is a minute at least, and no quota is zero") {
  CHECK(fallback_schedule_for(0, 300).poll == 60s);
  CHECK(fallback_schedule_for(300, 300).poll == 60s);
  CHECK(fallback_schedule_for(301, 300).poll == 61s);
  CHECK(fallback_schedule_for(10'000, 300).spread == 2000s);
  CHECK(fallback_schedule_for(10, 0).poll == 600s);
}
