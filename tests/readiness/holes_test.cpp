// Places without members: runs of any length in verdicts, messages and events.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <limits>

#include "base/text.hpp"
#include "readiness/status_diff.hpp"
#include "readiness/wait_judge.hpp"
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "support/result.hpp"
#include "support/wait_story.hpp"
#include "support/whole_status.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

constexpr int highest = std::numeric_limits<int>::max();

ClusterStatus workers_at(const std::vector<int>& indices, int expected) {
  ClusterStatus status;
  for (const int index : indices) {
    Member& member = status.members.emplace_back("worker", index);
    member.address = fmt::format("10.0.0.{}:8470", index % 250);
  }
  status.expected = expected;
  return status;
}

std::string missing_of(const WaitVerdict& verdict) {
  std::string text;
  for (const MissingMember& one : verdict.missing) text += (text.empty() ? "" : "; ") + one.label() + ": " + one.why;
  return text;
}

WaitVerdict verdict_on(const ClusterStatus& status, WaitOptions options = WaitOptions()) {
  return judge_status(status, usually_ready, options, {}, "test");
}

MissingMember absent(int first, int last, double since, const std::string& why = "not there yet") {
  MissingMember one;
  one.member = Member("worker", first);
  one.count = last - first + 1;
  one.why = why;
  one.since = SteadyTime(Duration(static_cast<std::int64_t>(since * 1e9)));
  return one;
}

// The range is what the label names, apart from an address.
void check_range(const MemberRange& members, const std::string& label) {
  const std::string last = members.last == members.first ? "" : fmt::format("-{}", members.last);
  CHECK(label.substr(0, label.find(" (")) == fmt::format("{} {}{}", members.job, members.first, last));
}

// The changes between two lists, and the `since` of the second, in seconds.
std::string changes_between(const std::vector<MissingMember>& before, std::vector<MissingMember> now) {
  std::string reported;
  MissingDiff diff(
      before, now, SteadyTime(std::chrono::seconds(9)),
      [&reported](const MemberRange& members, const std::string& label, const std::string& why) {
        check_range(members, label);
        reported += fmt::format("{} waits: {}\n", label, why);
      },
      [&reported](const MemberRange& members, const std::string& label) {
        check_range(members, label);
        reported += label + " is ready\n";
      });
  while (diff.step(1)) {
  }
  CHECK(diff.has_changed() == !reported.empty());
  for (const MissingMember& one : now)
    reported +=
        fmt::format("{} since {}\n", one.label(), std::chrono::duration_cast<std::chrono::seconds>(one.since.time_since_epoch()).count());
  return reported;
}

}  // namespace

TEST_CASE("places without members are missing, each run of them as one entry, and the cluster is not ready") {
  const WaitVerdict one = verdict_on(workers_at({0, 1, 16}, 65536));
  CHECK_FALSE(one.is_ready);
  CHECK(one.ready == 3);
  CHECK(one.total == 65536);
  CHECK(missing_of(one) == "worker 2-15: not there yet; worker 17-65535: not there yet");
  const WaitVerdict last = verdict_on(workers_at({highest - 1}, highest));
  CHECK_FALSE(last.is_ready);
  CHECK(last.total == highest);
  CHECK(missing_of(last) == fmt::format("worker 0-{}: not there yet", highest - 2));
  CHECK(missing_of(verdict_on(workers_at({1}, 2))) == "worker 0: not there yet");
  CHECK(missing_of(verdict_on(workers_at({2, 0}, 4))) == "worker 1: not there yet; worker 3: not there yet");
  CHECK(missing_of(verdict_on(workers_at({}, 0), WaitOptions().members(highest))) ==
        fmt::format("member 0-{}: not there yet", highest - 1));
  CHECK(verdict_on(workers_at({0, 1, 2}, 3)).is_ready);
  ClusterStatus two_jobs = workers_at({0, 1}, 5);
  two_jobs.members.emplace_back("ps", 0).address = "10.0.0.9:8470";
  CHECK(missing_of(verdict_on(two_jobs)) == "member 3-4: not there yet");
}

TEST_CASE("a job without members lacks its first member, and only the other missing places are of the other job") {
  ClusterStatus without_ps = workers_at({0, 1}, 3);
  without_ps.jobs = {"worker", "ps"};
  const WaitVerdict one = verdict_on(without_ps);
  CHECK_FALSE(one.is_ready);
  CHECK(one.total == 3);
  CHECK(missing_of(one) == "ps 0: not there yet");
  CHECK(missing_of(verdict_on(without_ps, WaitOptions().members(5))) == "ps 0: not there yet; worker 2-3: not there yet");
  ClusterStatus with_hole = workers_at({0, 2}, 4);
  with_hole.jobs = {"ps", "worker"};
  CHECK(missing_of(verdict_on(with_hole)) == "ps 0: not there yet; worker 1: not there yet");
  ClusterStatus two_jobs = workers_at({0, 1}, 5);
  two_jobs.members.emplace_back("ps", 0).address = "10.0.0.9:8470";
  two_jobs.jobs = {"worker", "evaluator", "ps"};
  CHECK(missing_of(verdict_on(two_jobs)) == "evaluator 0: not there yet; member 4: not there yet");
  // No member exists.
  ClusterStatus nobody;
  nobody.jobs = {"worker"};
  CHECK(missing_of(verdict_on(nobody, WaitOptions().members(3))) == "worker 0-2: not there yet");
  nobody.jobs = {"worker", "ps"};
  CHECK(missing_of(verdict_on(nobody, WaitOptions().members(3))) ==
        "worker 0: not there yet; ps 0: not there yet; member 2: not there yet");
  CHECK(missing_of(verdict_on(nobody, WaitOptions().members(1))) == "worker 0: not there yet");
}

TEST_CASE("a verdict in steps equals the verdict at once") {
  const ClusterStatus status = workers_at({0, 3, 4, 9}, 12);
  const WaitOptions options;
  const ProbeAnswers answers;
  WaitJudge judge(status, usually_ready, options, answers, "test");
  int pieces = 1;
  while (judge.poll(1)) ++pieces;
  CHECK(pieces == 4);
  CHECK(missing_of(judge.take_verdict()) == missing_of(verdict_on(status)));
  WaitJudge counting(status, usually_ready, options, answers, "test", MissingDetail::count_only);
  CHECK_FALSE(counting.poll(100));
  const WaitVerdict counted = counting.take_verdict();
  CHECK_FALSE(counted.is_ready);
  CHECK(counted.missing.empty());
  CHECK(counted.total == 12);
}

TEST_CASE("changes of a run are reported, and the run keeps its time") {
  CHECK(changes_between({}, {absent(3, 9, 0)}) == "worker 3-9 waits: not there yet\nworker 3-9 since 9\n");
  CHECK(changes_between({absent(3, 9, 5)}, {absent(3, 9, 0)}) == "worker 3-9 since 5\n");
  // One of them has joined.
  CHECK(changes_between({absent(3, 9, 5)}, {absent(3, 5, 0), absent(7, 9, 0)}) ==
        "worker 6 is ready\nworker 3-5 since 5\nworker 7-9 since 5\n");
  // It has left again.
  CHECK(changes_between({absent(3, 5, 5), absent(7, 9, 4)}, {absent(3, 9, 0)}) == "worker 6 waits: not there yet\nworker 3-9 since 4\n");
  // It has joined again and is not ready.
  CHECK(changes_between({absent(3, 9, 5)}, {absent(3, 5, 0), absent(6, 6, 0, "Pending"), absent(7, 9, 0)}) ==
        "worker 6 waits: Pending\nworker 3-5 since 5\nworker 6 since 9\nworker 7-9 since 5\n");
  // Their number grows and shrinks.
  CHECK(changes_between({absent(3, 9, 5)}, {absent(3, 12, 0)}) == "worker 10-12 waits: not there yet\nworker 3-12 since 5\n");
  CHECK(changes_between({absent(3, highest - 1, 5)}, {absent(8, 12, 0)}) ==
        fmt::format("worker 3-7 is ready\nworker 13-{} is ready\nworker 8-12 since 5\n", highest - 1));
  // Unsorted, two with one place, other jobs.
  MissingMember other = absent(3, 9, 0);
  other.member.job = "ps";
  CHECK(changes_between({absent(4, 4, 2), absent(3, 3, 1)}, {absent(3, 3, 0), absent(4, 4, 0)}) == "worker 3 since 1\nworker 4 since 2\n");
  CHECK(changes_between({absent(3, 9, 5)}, {absent(3, 9, 0), other}) ==
        "ps 3-9 waits: not there yet\nworker 3-9 since 5\nps 3-9 since 9\n");
  CHECK_THAT(changes_between({}, {absent(3, 3, 0), absent(3, 3, 0)}),
             Catch::StartsWith("worker 3 waits: not there yet\nworker 3 since 9\n"));
}

TEST_CASE("the text for many missing members is short") {
  WaitProgress progress;
  progress.at = SteadyTime(std::chrono::seconds(200));
  progress.missing = {absent(17, 65535, 100), absent(70000, 70000, 150)};
  CHECK(progress.missing_text() == "worker 17-65535, 70000: not there yet for 1 m 40 s");
  progress.missing.clear();
  for (int i = 0; i < 10'000; ++i) progress.missing.push_back(absent(2 * i, 2 * i, 100));
  CHECK(progress.missing_text().size() < 1000);
  CHECK(progress.line().size() < 1000);
  for (int i = 0; i < 10'000; ++i) progress.missing.push_back(absent(2 * i + 1, 2 * i + 1, 100, fmt::format("reason {}", i)));
  CHECK(progress.missing_text().size() < 10'000);
  CHECK_THAT(progress.missing_text(), Catch::EndsWith("; and 9901 more"));
}

TEST_CASE("a pod with the last of two thousand million indices is one line, and no other place is lost") {
  TestRuntime t;
  t.transport->respond = [](const HttpRequest& request) {
    const bool is_watch = request.url.target.find("watch=1") != std::string::npos;
    const std::string index = R"("batch.kubernetes.io/job-completion-index":"2147483646")";
    ScriptedTransport::Answer answer(ScriptedTransport::reply(
        200, is_watch ? std::string()
                      : list_json(pod_json("w", "10.0.0.1", R"(,"labels":{"batch.kubernetes.io/job-name":"w",)" + index + "}",
                                           R"(,"conditions":[{"type":"Ready","status":"True"}])"))));
    if (is_watch) answer.after = std::chrono::minutes(10);
    return answer;
  };
  const auto resolver_of = [&t](const std::vector<std::string>& selectors) {
    KubernetesOptions options = at_test_server();
    options.namespace_name("train").job("worker", selectors);
    return make_kubernetes_resolver(t.runtime, std::move(options));
  };
  WaitStory story;
  const auto late = t.run(try_wait_until_ready(resolver_of({"a=b"}), usually_ready, story.options().timeout(1min)));
  check_failure(late, Errc::deadline_exceeded, "1 of 2147483647 ready; missing: worker 0-2147483645: not there yet");
  CHECK_THAT(story.lines.front(), Contains("1/2147483647 ready · waiting for worker 0-2147483645: not there yet"));
  // The sum of two parts exceeds the range of numbers.
  const ClusterStatus both = t.run(resolver_of({"a=b", "c=d"})->cluster_status());
  CHECK(both.expected == highest);
  REQUIRE(both.members.size() == 2);
  CHECK(both.members[1].index == highest);
  CHECK_FALSE(verdict_on(both).is_ready);
}

TEST_CASE("parts of a union with more places than the range of numbers are not a smaller cluster") {
  const ClusterStatus part = workers_at({highest - 1}, highest);
  const Result<ClusterStatus> both = merge_status({part, part}, {"a", "b"});
  REQUIRE(both);
  CHECK(both->expected == highest);
  CHECK_FALSE(verdict_on(*both).is_ready);
  const Result<ClusterStatus> three = merge_status({part, part, part}, {"a", "b", "c"});
  REQUIRE(three.has_error());
  CHECK(three.error().code() == Errc::conflict);
}

TEST_CASE("two statuses in any order of members, with places given twice, are compared") {
  ClusterStatus before = workers_at({5, 1, 1, 3}, 0);
  ClusterStatus now = workers_at({3, 5, 2}, 0);
  now.members[0].uid = "new";
  std::string reported;
  for (const ClusterChange& change : status_diff(before, now, SteadyTime())) reported += change.text + "\n";
  CHECK(reported == "worker 1 (10.0.0.1:8470) left\nworker 2 (10.0.0.2:8470) joined: ready\nworker 3 (10.0.0.3:8470): recreated\n");
}

TEST_CASE("each message of a wait is one line for any name of a member") {
  WaitProgress progress;
  progress.total = 1;
  MissingMember& missing = progress.missing.emplace_back();
  missing.member = Member("wor\x1b[2Jker", 3);
  missing.member.name = "pod\r\nworker 9 (6.6.6.6:1)";
  missing.why = "\xe2\x80\xaeno\nr";
  progress.status.state = Condition(MemberState::waiting, "\x1b]0;x\x07");
  progress.trouble = "\xe2\x80\xa8";
  for (const std::string& line : {progress.line(), progress.missing_text()}) CHECK(printable_line(line) == line);
}

TEST_CASE("each job lacks its own places, whatever another has too many of") {
  ClusterStatus status = workers_at({0, 1, 2}, 4);
  status.jobs = {"ps", "worker"};
  status.job_sizes = {JobSize("ps", 2), JobSize("worker", 2)};
  status.expected_source = "JobSet t: 2 ps + 2";
  for (const Readiness until : {Readiness::state, Readiness::health, Readiness::endpoints, usually_ready}) {
    const WaitVerdict verdict = judge_status(status, until, WaitOptions(), {}, "test");
    CHECK_FALSE(verdict.is_ready);
    CHECK(verdict.total == 5);
    CHECK(missing_of(verdict) == "ps 0-1: not there yet (JobSet t: 2 ps + 2)");
  }
  status.members.emplace_back("ps", 1).address = "10.0.1.1:8470";
  status.causes = {Cause(CauseLayer::order, "InOrder", "x has to be ready first", "JobSet t")};
  CHECK(missing_of(verdict_on(status)) == "ps 0: not there yet: InOrder: x has to be ready first (JobSet t)");
  CHECK(verdict_on(status, WaitOptions().members(4)).is_ready);
  status.members.emplace_back("ps", 0).address = "10.0.1.2:8470";
  CHECK(verdict_on(status).is_ready);
  status.job_sizes[1].members = highest;
  CHECK(missing_of(verdict_on(status)).starts_with("worker 3-"));
}
