// The text of `rollcall why`.
#include "command/show/why_text.hpp"

#include <catch2/catch.hpp>

#include "command/show/status_text.hpp"
#include "render/render_why.hpp"

using namespace rollcall;
using namespace rollcall::command;
using Catch::Contains;

namespace {

ClusterStatus status_of_four() {
  ClusterStatus status;
  status.jobs = {"worker"};
  status.expected = 4;
  for (int i = 0; i < 2; ++i) {
    Member& member = status.members.emplace_back("worker", i);
    member.name = "train/p-" + std::to_string(i);
    member.address = "10.0.0.1:847" + std::to_string(i);
  }
  return status;
}

const WallTime noon = WallTime(std::chrono::hours(500'000));

}  // namespace

TEST_CASE("a line a layer, the outermost first, with its age and what would mend it") {
  ClusterStatus status = status_of_four();
  status.causes.emplace_back(CauseLayer::creation, "FailedCreate", "exceeded quota: gpus", "Job trainer").since =
      noon - std::chrono::minutes(4);
  status.members[1].state = Condition(MemberState::waiting, "Pending");
  status.members[1].causes.emplace_back(CauseLayer::image, "ErrImagePull", "not found", "container trainer");
  const std::string text = why_text("k", judge_cluster(status), {"events may not be read: list events"}, noon);
  CHECK_THAT(text, Catch::StartsWith("k: 1/4 ready\n"));
  CHECK_THAT(text,
             Contains("worker 1 (10.0.0.1:8471): not ready\n  image     ErrImagePull: not found (container trainer)\n            > push"));
  CHECK_THAT(text, Contains("worker 2-3: not there yet\n  creation  FailedCreate: exceeded quota: gpus (Job trainer), for 4 m"));
  CHECK_THAT(text, Contains("not known: events may not be read: list events\n"));
}

TEST_CASE("all ready is said plainly, and a node that is not well is a warning") {
  ClusterStatus status = status_of_four();
  status.expected = 2;
  CHECK(why_text("k", judge_cluster(status), {}, noon) == "k: all 2 members are ready\n");
  status.members[0].causes.emplace_back(CauseLayer::node, "SysLogsXIDError", "ErrorCode:79", "Node g2");
  const ClusterVerdict verdict = judge_cluster(status);
  CHECK(verdict.is_ready);
  CHECK_THAT(why_text("k", verdict, {}, noon),
             Contains("worker 0 (10.0.0.1:8470): ready, but\n  node      SysLogsXIDError: ErrorCode:79 (Node g2)"));
  CHECK_THAT(status_text("k", verdict), Contains("ready, but SysLogsXIDError: ErrorCode:79 (Node g2)\n"));
  CHECK_THAT(render_why_json(verdict, {}), Contains(R"("is_ready":true,"ready":2,"total":2,"groups":[],"warnings":[{"count":1)"));
}

TEST_CASE("without causes the state is all that is said, and no text of a service disturbs the terminal") {
  ClusterStatus status = status_of_four();
  status.expected = 2;
  status.members[1].state = Condition(MemberState::waiting, "CREATING\x1b[31m");
  const std::string text = why_text("k", judge_cluster(status), {}, noon);
  CHECK_THAT(text, Contains("worker 1 (10.0.0.1:8471): CREATING"));
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK_THAT(why_text("k", judge_cluster(ClusterStatus()), {}, noon), Catch::StartsWith("k: "));
}

TEST_CASE("the JSON of why has groups, their causes and a remedy") {
  ClusterStatus status = status_of_four();
  status.expected = 2;
  status.members[1].state = Condition(MemberState::lost, "Pending");
  status.members[1].causes.emplace_back(CauseLayer::container, "OOMKilled", "exit code 137", "container t").is_final = true;
  const std::string json = render_why_json(judge_cluster(status), {"a \"note\""});
  CHECK_THAT(json, Contains(R"x("groups":[{"count":1,"members":"worker 1 (10.0.0.1:8471)","job":"worker","state":"lost")x"));
  CHECK_THAT(
      json,
      Contains(R"("causes":[{"layer":"container","code":"OOMKilled","text":"exit code 137","object":"container t","outlook":"final"}])"));
  CHECK_THAT(json, Contains(R"("remedy":"raise the memory limit)"));
  CHECK_THAT(json, Contains(R"("unread":["a \"note\""])"));
}
