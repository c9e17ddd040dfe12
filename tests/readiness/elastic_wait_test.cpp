// Waits for clusters that lose members and get replacements, and for clusters that are ready with fewer members; in virtual time.
#include <catch2/catch.hpp>

#include "readiness/wait_judge.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/wait.hpp"
#include "support/cloud_loop.hpp"
#include "support/result.hpp"
#include "support/wait_story.hpp"

using namespace rollcall;
using rollcall::testing::CloudLoop;
using rollcall::testing::WaitStory;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

std::shared_ptr<ClusterResolver> three_slices(CloudLoop& t) {
  std::vector<std::shared_ptr<ClusterResolver>> slices;
  for (const char* const name : {"a", "b", "c"})
    slices.push_back(make_tpu_resolver(t.runtime, TpuOptions(name).project("example-proj").zone("us-central2-b")));
  return make_union_resolver(t.runtime, std::move(slices));
}

// Three TPUs of one host each. `second` and `third` are further members of their JSON objects.
std::string slices_with(const std::string& second, const std::string& third = "") {
  return R"({"nodes": [{"name": "a", "accelerator_type": "v4-8", "endpoints": ["10.0.0.1"]},
    {"name": "b", "accelerator_type": "v4-8", "endpoints": ["10.0.0.2"])" +
         second + R"(}, {"name": "c", "accelerator_type": "v4-8", "endpoints": ["10.0.0.3"])" + third + "}]}";
}

constexpr const char* comes_back = R"(, "timeline": [{"at": "0s", "state": "PREEMPTED"}, {"at": "100s", "state": "DELETED"},
  {"at": "200s", "state": "CREATING"}, {"at": "300s", "state": "READY"}])";

}  // namespace

TEST_CASE("a lost member is waited for if it will be replaced") {
  CloudLoop t(slices_with(comes_back));
  const auto refused = t.run(try_wait_until_ready(three_slices(t)));
  testing::check_failure(refused, Errc::not_ready, "PREEMPTED");
  WaitStory story;
  const auto status =
      t.run(try_wait_until_ready(three_slices(t), usually_ready, story.options().for_replacement(true).for_existence(true)));
  REQUIRE(status);
  CHECK(status->members.size() == 3);
  CHECK((t.elapsed() >= 300 && t.elapsed() < 300 + 36));
  CHECK_THAT(story.lines.front(), Contains("2/3 ready · waiting for worker 1") && Contains("PREEMPTED"));
}

TEST_CASE("a part that existed may return, also before another one has been seen") {
  const std::string goes = R"(, "timeline": [{"at": "0s", "state": "READY"}, {"at": "1s", "state": "DELETED"},
    {"at": "300s", "state": "READY"}])";
  const auto cloud_with = [](const std::string& second) {
    return R"({"nodes": [{"name": "a", "accelerator_type": "v4-8"}, {"name": "b", "accelerator_type": "v4-8")" + second +
           R"(}, {"name": "c", "accelerator_type": "v4-8"}],
             "faults": [{"match": {"path": "*/nodes/c"}, "status": 503, "until": "100s"}]})";
  };
  const WaitOptions patient = WaitOptions().for_replacement(true).timeout(10min);
  CloudLoop t(cloud_with(goes));
  const auto status = t.run(try_wait_until_ready(three_slices(t), usually_ready, patient));
  REQUIRE(status);
  CHECK(status->members.size() == 3);
  CHECK((t.elapsed() >= 300 && t.elapsed() < 300 + 36));
  // Without for_replacement it is not waited for, nor if it never existed.
  CloudLoop impatient(cloud_with(goes));
  const auto gone = impatient.run(try_wait_until_ready(three_slices(impatient), usually_ready, WaitOptions().timeout(10min)));
  testing::check_failure(gone, Errc::not_found, "TPU 'b'");
  CHECK(impatient.elapsed() < 100);
  CloudLoop without(cloud_with(R"(, "timeline": [{"at": "0s", "state": "DELETED"}])"));
  const auto never = without.run(try_wait_until_ready(three_slices(without), usually_ready, patient));
  testing::check_failure(never, Errc::not_found, "TPU 'b'");
  CHECK(without.elapsed() < 100);
}

TEST_CASE("a lost member is missing although it still answers") {
  CloudLoop t(slices_with(R"(, "state": "PREEMPTED", "workers": {"runtime": "tensorflow"})"));
  const auto late = t.run(try_wait_until_ready(three_slices(t), Readiness::endpoints, WaitOptions().for_replacement(true).timeout(1min)));
  testing::check_failure(late, Errc::deadline_exceeded, "2 of 3 ready; missing: worker 1", "PREEMPTED");
}

TEST_CASE("a member that has ended with success is not waited for") {
  ClusterStatus status;
  status.members = {Member("worker", 0), Member("worker", 1)};
  status.members[1].state = Condition(MemberState::lost, "Succeeded");
  const WaitVerdict verdict = judge_status(status, Readiness::state, WaitOptions().for_replacement(true), {}, "x");
  REQUIRE(verdict.lost);
  testing::check_failure(*verdict.lost, Errc::not_ready, "worker 1 will not become ready: Succeeded");
  CHECK(verdict.lost->hint() == "it has ended with success, and nothing recreates it");
}

TEST_CASE("min_members is enough when the last call is over, and ready members keep their places") {
  CloudLoop t(slices_with(comes_back));
  WaitOptions elastic = WaitOptions().for_replacement(true).min_members(2).last_call(45s);
  const auto status = t.run(try_wait_until_ready(three_slices(t), usually_ready, elastic));
  REQUIRE(status);
  CHECK(t.elapsed() == 45);
  CHECK(status->spec().to_json() == R"({"worker":{"0":"10.0.0.1:8470","2":"10.0.0.3:8470"}})");
  CHECK(status->expected == 2);
  const auto late = t.run(try_wait_until_ready(three_slices(t), usually_ready, WaitOptions(elastic).min_members(3).timeout(1min)));
  testing::check_failure(late, Errc::deadline_exceeded, "2 of 3 ready");
}

TEST_CASE("all members are not enough when they are fewer than min_members") {
  CloudLoop t(slices_with(""));
  const auto late = t.run(try_wait_until_ready(three_slices(t), usually_ready, WaitOptions().min_members(5).timeout(1min)));
  testing::check_failure(late, Errc::deadline_exceeded, "3 of 5 ready; missing: worker 3-4: not there yet");
  CHECK_THAT(late.error().hint(), Contains("it has 3 members, and 5 are awaited") && Contains("fewer (min_members, --min-members)"));
  const auto states = t.run(try_wait_until_ready(three_slices(t), Readiness::state, WaitOptions().min_members(5).timeout(1min)));
  testing::check_failure(states, Errc::deadline_exceeded, "3 of 5 ready");
  CHECK(t.run(try_wait_until_ready(three_slices(t), usually_ready, WaitOptions().min_members(3).timeout(1min))));
}

TEST_CASE("numbers and times of a wait that cannot be are refused") {
  CloudLoop t(slices_with(""));
  const auto refused = [&t](const WaitOptions& options, std::string_view why) {
    testing::check_failure(t.run(try_wait_until_ready(three_slices(t), usually_ready, options)), Errc::invalid_argument, why);
  };
  refused(WaitOptions().members(-1), "the number of members must not be negative");
  refused(WaitOptions().min_members(-1), "the number of members must not be negative");
  refused(WaitOptions().last_call(-1s), "the time of the last call must not be negative");
}

TEST_CASE("a job without ready members when the last call is over is left out") {
  CloudLoop t(R"({"kubernetes": {"namespace": "train", "pods": [{"kind": "indexed_job", "name": "a", "count": 2, "labels": {"app": "a"}},
    {"kind": "indexed_job", "name": "b", "labels": {"app": "b"}, "running_after": 1000}]}})");
  KubernetesOptions options;
  options.job("slice0", {"app=a"}).job("slice1", {"app=b"}).api_server("https://127.0.0.1:6443").namespace_name("train");
  const auto slices = make_kubernetes_resolver(t.runtime, std::move(options));
  const auto status = t.run(try_wait_until_ready(slices, usually_ready, WaitOptions().min_members(2).last_call(60s)));
  REQUIRE(status);
  CHECK(t.elapsed() < 120);
  CHECK(status->members.size() == 2);
  CHECK(status->spec().jobs() == std::vector<std::string>{"slice0"});
}

TEST_CASE("the last call starts again with each new member, and is skipped when all are ready") {
  CloudLoop t(slices_with(R"(, "timeline": [{"at": "0s", "state": "CREATING"}, {"at": "20s", "state": "READY"}])",
                          R"(, "timeline": [{"at": "0s", "state": "CREATING"}, {"at": "1000s", "state": "READY"}])"));
  const auto two = t.run(try_wait_until_ready(three_slices(t), usually_ready, WaitOptions().min_members(1).last_call(60s)));
  REQUIRE(two);
  CHECK(two->members.size() == 2);
  CHECK((t.elapsed() >= 80 && t.elapsed() < 120));
  t.advance_to(2000);
  const auto all = t.run(try_wait_until_ready(three_slices(t), usually_ready, WaitOptions().min_members(1).last_call(60s)));
  REQUIRE(all);
  CHECK(all->members.size() == 3);
  CHECK(t.elapsed() == 2000);
}

TEST_CASE("members that are probed are probed again before min_members is enough") {
  // The second TPU answers in the first 20 seconds only.
  CloudLoop t(slices_with(R"(, "workers": {"runtime": "tensorflow", "timeline": [{"at": "20s", "runtime": "none"}]})",
                          R"(, "state": "PREEMPTED")"));
  const auto late = t.run(try_wait_until_ready(three_slices(t), Readiness::reachable,
                                               WaitOptions().for_replacement(true).min_members(1).last_call(60s).timeout(5min)));
  CHECK(late.has_error());  // no runtime listens on the first
  CloudLoop again(slices_with(R"(, "workers": {"runtime": "tensorflow", "timeline": [{"at": "20s", "runtime": "none"}]})",
                              R"(, "workers": {"runtime": "tensorflow"})"));
  const auto one =
      again.run(try_wait_until_ready(three_slices(again), Readiness::reachable, WaitOptions().min_members(1).last_call(60s).timeout(5min)));
  REQUIRE(one);
  CHECK(one->spec().to_json() == R"({"worker":{"2":"10.0.0.3:8470"}})");
}
