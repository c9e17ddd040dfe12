// The verdict of a preflight as text and JSON.
#include <catch2/catch.hpp>

#include "render/render_preflight.hpp"

using namespace rollcall;

namespace {

PreflightVerdict failed_verdict() {
  PreflightVerdict verdict;
  verdict.run = "4711.0";
  verdict.members = 64;
  verdict.present = 63;
  verdict.pairs_tested = 3906;
  verdict.pairs_expected = 4032;
  verdict.judged_by = "worker 0";
  verdict.took = std::chrono::milliseconds(6200);
  Finding finding;
  finding.scope = FindingScope::pair;
  finding.check = "large_packets";
  finding.members = {FindingMember("worker", 3, "n03", "10.0.0.4:29500"), FindingMember("worker", 21)};
  finding.direction = "first_to_second";
  finding.measured = "1400 bytes";
  finding.action = FindingAction::check_path;
  finding.text = "packets above 1400 bytes are lost from worker 3 (n03) to worker 21";
  finding.hint = "look at the MTU on that way";
  verdict.findings.push_back(finding);
  verdict.unknown.emplace_back("reach", std::vector<FindingMember>{FindingMember("worker", 9)}, "its processors were busy");
  return verdict;
}

TEST_CASE("a preflight's text names what failed, what to do, and what is not known") {
  CHECK(render_preflight_text("preflight slurm:", failed_verdict()) ==
        "preflight slurm: failed, 63 of 64 members are there, 3906 of 4032 ways between them tested, 1 failure, 6.2 s; judged by worker 0\n"
        "FAIL  packets above 1400 bytes are lost from worker 3 (n03) to worker 21\n"
        "      -> look at the MTU on that way\n"
        "?     reach of worker 9 was not judged: its processors were busy\n");
  PreflightVerdict here;
  here.passed = true;
  here.members = here.present = 1;
  CHECK(render_preflight_text("preflight", here) == "preflight: passed\n");
  here.passed = false;  // a machine without a name, of which too little is known
  here.unknown.emplace_back("cpu", std::vector<FindingMember>{FindingMember()}, "it did not say");
  CHECK(render_preflight_text("preflight", here) == "preflight: failed, 1 not judged\n?     cpu was not judged: it did not say\n");
}

TEST_CASE("a preflight's JSON has each finding with its members") {
  CHECK(render_preflight_json(failed_verdict()) ==
        R"({"passed":false,"run":"4711.0","members":64,"present":63,"pairs_tested":3906,"pairs_expected":4032,"judged_by":"worker 0",)"
        R"("authenticated":false,"took_ms":6200,"findings":[{"severity":"failure","scope":"pair","check":"large_packets","members":[)"
        R"({"job":"worker","index":3,"name":"n03","address":"10.0.0.4:29500"},{"job":"worker","index":21}],)"
        R"("direction":"first_to_second","measured":"1400 bytes","action":"check_path",)"
        R"("text":"packets above 1400 bytes are lost from worker 3 (n03) to worker 21","hint":"look at the MTU on that way"}],)"
        R"("findings_left_out":0,"unknown":[{"check":"reach","members":[{"job":"worker","index":9}],"why":"its processors were busy"}]})"
        "\n");
}

TEST_CASE("a list of members is cut, and says by how many") {
  std::vector<FindingMember> members;
  for (int i = 0; i < 12; ++i) members.emplace_back("worker", i);
  CHECK(member_list(members, 2) == "worker 0, worker 1 and 10 more");
  members.resize(2);
  CHECK(member_list(members) == "worker 0 and worker 1");
  CHECK(member_list({FindingMember("", -1, "", "10.0.0.1:22")}) == "10.0.0.1:22");
}

}  // namespace
