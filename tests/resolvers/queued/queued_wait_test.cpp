// Waiting for queued resources: the queue, the creation of nodes, late slices, and slices that never appear.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "resolvers/queued/queued_status.hpp"
#include "rollcall/queued_resource.hpp"
#include "rollcall/wait.hpp"
#include "support/cloud_loop.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

std::shared_ptr<ClusterResolver> queued_resolver(CloudLoop& t, SliceJobs jobs = SliceJobs::merged) {
  return make_queued_resource_resolver(t.runtime, QueuedResourceOptions("ms").project("example-proj").zone("us-central2-b").slices(jobs));
}

// Two slices of two hosts each.
std::string request_with(const std::string& more) {
  return R"({"queued_resources": [{"name": "ms", "slices": 2, "spot": true, "node": {"accelerator_type": "v4-16", "endpoints": {"base": "10.0.0.1"}}, )" +
         more + "}]}";
}

Failure wait_failure(CloudLoop& t, WaitOptions options = {}) {
  const auto result = t.run(try_wait_until_ready(queued_resolver(t), usually_ready, std::move(options)));
  REQUIRE(result.has_error());
  return result.error();
}

}  // namespace

TEST_CASE("from the queue to slices that are READY one after the other") {
  CloudLoop t(request_with(R"("stagger": "20s", "timeline": [{"at": 0, "state": "ACCEPTED"}, {"at": 60, "state": "WAITING_FOR_RESOURCES"},
    {"at": 600, "state": "PROVISIONING"}, {"at": 700, "state": "ACTIVE"}])"));
  std::vector<std::string> lines;
  const WaitOptions options = WaitOptions().on_progress(
      [&](const WaitProgress& progress) { lines.push_back(fmt::format("{} {}", to_string(progress.status.phase), progress.line())); });
  const ClusterStatus status = t.run(wait_until_ready(queued_resolver(t), usually_ready, options));
  CHECK(status.phase == ClusterPhase::running);
  CHECK(status.spec().to_json() == R"({"worker":["10.0.0.1:8470","10.0.0.2:8470","10.0.0.3:8470","10.0.0.4:8470"]})");
  CHECK(t.elapsed() >= 720);
  CHECK(t.elapsed() < 720 + 40);
  std::string story = fmt::format("{}", fmt::join(lines, "\n"));
  CHECK_THAT(story, Contains("queued 0/4 ready · waiting for worker 0-3: ACCEPTED"));
  CHECK_THAT(story, Contains("ACCEPTED (the request is accepted and waits its turn)"));
  CHECK_THAT(story, Contains("WAITING_FOR_RESOURCES (it is queued for capacity)"));
  CHECK_THAT(story, Contains("provisioning 0/4 ready · waiting for worker 0-3: CREATING"));
  CHECK_THAT(story, Contains("provisioning 2/4 ready · waiting for worker 2-3: CREATING"));  // ACTIVE, but a slice is late
  CHECK_THAT(lines.back(), Contains("running 4/4 ready"));
  CHECK(t.asked("queuedResources.get") < 40);
  CHECK(t.asked("nodes.get") < 60);
}

TEST_CASE("a request that failed, or was suspended, ends the wait at once with its reason") {
  CloudLoop failed(
      request_with(R"("timeline": [{"at": 0, "state": "WAITING_FOR_RESOURCES"}, {"at": 100, "state": "FAILED", "error": "no capacity"}])"));
  const Failure failure = wait_failure(failed);
  check_failure(failure, Errc::not_ready,
                "tpu:qr/ms: will not become ready: FAILED (it failed and will not be tried again): no capacity "
                "(RESOURCE_EXHAUSTED); it keeps its share of the quota until it is deleted");
  CHECK(failed.elapsed() >= 100);
  CloudLoop suspended(request_with(R"("state": "SUSPENDED", "initiator": "SERVICE")"));
  CHECK_THAT(wait_failure(suspended).what(),
             Contains("will not become ready: SUSPENDED (its nodes are gone, by the service: it was preempted)"));
  CHECK(suspended.elapsed() == 0);
  CloudLoop deleting(request_with(R"("state": "DELETING")"));
  CHECK_THAT(wait_failure(deleting).what(), Contains("will not become ready: DELETING"));
}

TEST_CASE("the queue and the creation of nodes have separate deadlines") {
  CloudLoop queued(request_with(R"("state": "WAITING_FOR_RESOURCES")"));
  const Failure late = wait_failure(queued, WaitOptions().queue_timeout(10min).provision_timeout(1min));
  check_failure(late, Errc::deadline_exceeded, "still queued for capacity, not granted within 10 m");
  CHECK_THAT(late.hint(), Contains("the request stays: delete it"));
  CHECK(queued.elapsed() == 600);
  CloudLoop slow(request_with(R"("provisioning_after": "50m")"));
  const Failure provisioning = wait_failure(slow, WaitOptions().timeout(2h).queue_timeout(1h).provision_timeout(5min));
  check_failure(provisioning, Errc::deadline_exceeded, "granted, but not ready within 5 m");
}

TEST_CASE("a slice that is preempted or deleted while the request is ACTIVE is lost") {
  CloudLoop preempted(request_with(R"("stagger": "1h", "except": [{"slice": 1, "timeline": [{"at": 30, "state": "PREEMPTED"}]}])"));
  CHECK_THAT(wait_failure(preempted).what(), Contains("worker 2 (10.0.0.3:8470) will not become ready: PREEMPTED"));
  CloudLoop gone(request_with(R"("stagger": "1h", "except": [{"slice": 1, "timeline": [{"at": 30, "state": "DELETED"}]}])"));
  CHECK_THAT(wait_failure(gone).what(), Contains("worker 2 (ms-1) will not become ready: its TPU does not exist any more"));
}

TEST_CASE("a request that does not exist is a failure, unless the wait is for its existence") {
  CloudLoop t(request_with(R"("timeline": [{"at": 90, "state": "ACTIVE"}])"));
  CHECK(wait_failure(t).code() == Errc::not_found);
  CHECK(t.run(try_wait_until_ready(queued_resolver(t), usually_ready, WaitOptions().for_existence(true))).has_value());
}

TEST_CASE("one job for each slice; two slices with one address contradict each other") {
  CloudLoop t(request_with(R"("state": "ACTIVE")"));
  const ClusterStatus status = t.run(wait_until_ready(queued_resolver(t, SliceJobs::each)));
  CHECK(status.spec().to_json() == R"({"worker0":["10.0.0.1:8470","10.0.0.2:8470"],"worker1":["10.0.0.3:8470","10.0.0.4:8470"]})");
  CloudLoop twins(
      R"({"queued_resources": [{"name": "ms", "slices": 2, "node": {"accelerator_type": "v4-8", "endpoints": ["10.0.0.1"]}}]})");
  const Failure failure = wait_failure(twins, WaitOptions().timeout(1min));
  CHECK_THAT(failure.what(), Contains("worker 1 (10.0.0.1:8470): has the address of worker 0 as well"));
}

TEST_CASE("unknown values of a request are left out") {
  QueuedResource request;
  request.id = "ms";
  CHECK(queued_status("ms", request).state.text == "queued resource 'ms': the API gives no state");
  CHECK(queued_status("ms", request).state.level == MemberState::waiting);
  request.state = "RESHARDING";
  CHECK_THAT(queued_status("ms", request).state.text, Contains("RESHARDING, which is none that is known"));
  request.node_specs.emplace_back().accelerator_type = "v99-8";
  CHECK(queued_status("ms", request).expected == 0);
  request.node_specs.front().accelerator_type = "v4-32";
  CHECK(queued_status("ms", request).expected == 4);
  const ClusterStatus each = queued_status("ms", request, {}, "worker", SliceJobs::each);
  REQUIRE(each.members.size() == 4);
  CHECK(each.members.back().label() == "worker0 3");
  request.node_specs.front().is_multislice = true;
  request.node_specs.front().count = 65536;
  request.node_specs.front().accelerator_type = "v4-4096";
  CHECK(queued_status("ms", request, {}, "worker", SliceJobs::merged).members.size() < 200'000);
}
