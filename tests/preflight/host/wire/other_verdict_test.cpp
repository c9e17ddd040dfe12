// What other programs print as their verdicts, by hand: samples of the forms that [facts] names, and what is none of them.
#include "preflight/host/wire/other_verdict.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

using namespace rollcall;

namespace {

using Found = std::vector<OtherFinding>;
constexpr FindingSeverity bad = FindingSeverity::failure;
constexpr FindingSeverity warned = FindingSeverity::warning;

Found said(const char* command, const CommandEnd& end) { return read_other_verdict(VerdictSource::parse(command).value(), end); }

CommandEnd with_errors(int code, std::string output, std::string errors) {
  CommandEnd end(code, std::move(output));
  end.errors = std::move(errors);
  return end;
}

// One test with these results.
std::string diagnostic(std::string_view results, std::string_view more = "", std::string_view root = "DCGM Diagnostic") {
  return fmt::format(
      R"({{"{}":{{"test_categories":[{{"category":"Hardware","tests":[{{"name":"memory","results":[{}]{}}}]}}]}},"metadata":{{}}}})", root,
      results, more);
}

constexpr const char* passed = R"({"entity_group":"GPU","entity_group_id":1,"entity_id":0,"status":"Pass"})";

}  // namespace

TEST_CASE("an exit code is a verdict") {
  CHECK(said("check", CommandEnd(0, "warning: all is well\n")).empty());
  CHECK(said("/opt/check -v", CommandEnd(3, "first\nlast line \n\n")) == Found{{bad, "check ended with exit code 3: last line"}});
  CHECK(said("check", with_errors(1, "so far so good\n", "Traceback\nKeyError: 'gpu'\n")) ==
        Found{{bad, "check ended with exit code 1: KeyError: 'gpu'"}});
  CHECK(said("check", CommandEnd(1, "")) == Found{{bad, "check ended with exit code 1"}});
  CHECK(said("chekc", with_errors(127, "", "sh: 1: chekc: not found\n")) ==
        Found{{bad, "chekc could not be started (exit code 127): sh: 1: chekc: not found"}});
  CommandEnd killed;
  killed.signal = 11;
  CHECK(said("check", killed) == Found{{bad, "check was ended by signal 11"}});
  CommandEnd late;
  late.failure = "did not end within 30.0 s, and was ended";
  for (const char* const command : {"check", "nagios:check"})
    CHECK(said(command, late) == Found{{bad, "check did not end within 30.0 s, and was ended"}});
}

TEST_CASE("words of a program are one printable line without secrets") {
  const Found found = said("check", CommandEnd(1, "x\x1b[31m token=ya29.a0AfH6SMBx \xff" + std::string(5000, 'y')));
  REQUIRE(found.size() == 1);
  CHECK(found.front().text.find("ya29") == std::string::npos);
  CHECK(found.front().text.find('\x1b') == std::string::npos);
  CHECK(found.front().text.size() <= 310);
}

TEST_CASE("NHC names the checks that fail") {
  const std::string printed = "ERROR:  nhc:  Health check failed:  check_fs_mount:  /data not mounted\n";
  CHECK(said("nhc", CommandEnd(1, printed)) == Found{{bad, "nhc says: check_fs_mount:  /data not mounted"}});
  CHECK(said("nhc", with_errors(1, "starting\n", "[1] - " + printed + "ERROR:  nhc:  Health check failed:  \n")) ==
        Found{{bad, "nhc says: check_fs_mount:  /data not mounted"}, {bad, "nhc says that a check failed"}});
  CHECK(said("nhc", CommandEnd(0, printed)).empty());
  CHECK(said("nhc", CommandEnd(1, "no ERR: Health check failed: x\n")) ==
        Found{{bad, "nhc ended with exit code 1: no ERR: Health check failed: x"}});
}

TEST_CASE("exit codes of Nagios are taken where the source says so") {
  const std::string line = "DISK WARNING - free space: /data 7% | /data=93%;90;95\nlong text";
  CHECK(said("nagios:check_disk -w 10%", CommandEnd(0, line)).empty());
  CHECK(said("nagios:check_disk -w 10%", CommandEnd(1, line)) == Found{{warned, "check_disk says: DISK WARNING - free space: /data 7%"}});
  CHECK(said("nagios:check_disk", CommandEnd(2, line))[0].severity == bad);
  CHECK(said("nagios:check_disk", CommandEnd(3, "")) == Found{{warned, "check_disk ended with exit code 3"}});
  CHECK(said("nagios:check_disk", with_errors(127, "", "sh: 1: check_disk: not found"))[0].severity == bad);
  CHECK(said("check_disk", CommandEnd(1, line))[0].severity == bad);
}

TEST_CASE("Health Validation names devices and checks") {
  const std::string printed =
      R"({"overall_severity":"CRITICAL","node":"n17","affected":[)"
      R"({"category":"XID","check_ids":["gpu_xid_79","gpu_xid_48"],"entities":["GPU-1","GPU-2"],"max_severity":"CRITICAL"},)"
      R"({"category":"GPU","check_ids":["gpu_power_limit"],"entities":[],"max_severity":"WARNING"},)"
      R"({"category":"CPU","check_ids":["cpu_count"],"entities":["n17"],"max_severity":"INFO"}],"verdicts":[{"id":"a"}]})";
  CHECK(said("nvhv", CommandEnd(1, printed + "\n")) ==
        Found{{bad, "nvhv says CRITICAL of gpu_xid_79, gpu_xid_48", "GPU-1, GPU-2"}, {warned, "nvhv says WARNING of gpu_power_limit"}});
  CHECK(said("nvhv", CommandEnd(0, R"({"overall_severity":"PASS"})")).empty());
  CHECK(said("nvhv", CommandEnd(0, "{\"overall_severity\":\"INFO\",\"affected\":null}")).empty());
  CHECK(said("nvhv", CommandEnd(0, R"({"overall_severity":"WARNING"})")) == Found{{warned, "nvhv says WARNING of the host"}});
  CHECK(said("nvhv", CommandEnd(1, R"({"overall_severity":"UNKNOWN"})")) == Found{{bad, "nvhv says UNKNOWN of the host"}});
}

TEST_CASE("a verdict of Health Validation that contradicts itself is a failure") {
  CHECK(said("nvhv", CommandEnd(1, R"({"overall_severity":"PASS"})")) == Found{{bad, "nvhv says PASS, and ended with exit code 1"}});
  CHECK(said("nvhv", CommandEnd(2, R"({"overall_severity":"PASS"})")) ==
        Found{{warned, "nvhv gave no verdict: it says PASS, and ended with exit code 2"}});
  CHECK(said("nvhv", CommandEnd(2, R"({"overall_severity":"CRITICAL"})")) == Found{{bad, "nvhv says CRITICAL of the host"}});
  CHECK(said("nvhv", CommandEnd(0, R"({"overall_severity":"fine"})")) ==
        Found{{bad, "nvhv prints a verdict that cannot be read: overall_severity is 'fine'; it ended with exit code 0"}});
  CHECK(said("nvhv", CommandEnd(0, R"({"overall_severity":3})"))[0].severity == bad);
  CHECK(said("nvhv", CommandEnd(0, R"({"overall_severity":"PASS","affected":[{"check_ids":["a"],"max_severity":"WORSE"}]})")) ==
        Found{{bad, "nvhv says WORSE of a"}});
}

TEST_CASE("DCGM names the GPU whose test fails") {
  const std::string failed =
      diagnostic(fmt::format(R"({},{{"entity_group":"GPU","entity_group_id":1,"entity_id":3,"status":"Fail","warnings":[)"
                             R"({{"error_id":29,"warning":"row remapping failed"}},{{"error_id":2}}]}})",
                             passed));
  CHECK(said("dcgmi diag -r 1 -j", CommandEnd(226, failed)) == Found{{bad, "dcgmi says: memory failed: row remapping failed", "gpu 3"}});
  CHECK(said("dcgmi", CommandEnd(226, "Warning: slow\n" + failed)) == said("dcgmi", CommandEnd(226, failed)));
  CHECK(said("dcgmi", CommandEnd(0, diagnostic(passed))).empty());
  CHECK(said("dcgmi", CommandEnd(1, diagnostic(R"({"gpu_ids":"0,1","status":"Fail","warnings":"too slow"})", "", "DCGM GPU Diagnostic"))) ==
        Found{{bad, "dcgmi says: memory failed: too slow", "gpu 0,1"}});
  CHECK(said("dcgmi", CommandEnd(0, diagnostic(R"({"gpu_id":2,"status":"Warn","warnings":["a","b"]})"))) ==
        Found{{warned, "dcgmi says: memory has a warning: a; b", "gpu 2"}});
  CHECK(said("dcgmi", CommandEnd(226, diagnostic(R"({"cpu_id":"1","status":"Fail"},{"status":"Skipped"})"))) ==
        Found{{bad, "dcgmi says: memory failed", "cpu 1"}});
  CHECK(said("dcgmi", CommandEnd(226, diagnostic(passed, R"(,"test_summary":{"status":"Fail"})"))) ==
        Found{{bad, "dcgmi says: memory failed"}});
}

TEST_CASE("each iteration of a diagnostic of DCGM counts") {
  const auto iterations = [](std::string_view list, std::string_view overall) {
    return fmt::format(R"({{"Overall Result":"{}","iterations":[{}]}})", overall, list);
  };
  const std::string fine = diagnostic(passed);
  const std::string warns = diagnostic(R"({"gpu_id":2,"status":"Warn"})");
  const std::string failed = diagnostic(R"({"gpu_id":2,"status":"Fail"})");
  CHECK(said("dcgmi", CommandEnd(0, iterations(fine + "," + fine, "Pass"))).empty());
  CHECK(said("dcgmi", CommandEnd(226, iterations(fine + "," + failed, "Fail"))) == Found{{bad, "dcgmi says: memory failed", "gpu 2"}});
  CHECK(said("dcgmi", CommandEnd(0, iterations(warns + "," + warns, "Pass"))) ==
        Found{{warned, "dcgmi says: memory has a warning", "gpu 2"}});
  CHECK(said("dcgmi", CommandEnd(226, iterations(fine + ",null", "Fail"))) ==
        Found{{bad, "dcgmi prints a diagnostic without test_categories; it ended with exit code 226"}});
  CHECK(said("dcgmi", CommandEnd(226, iterations(fine, "Fail"))) ==
        Found{{bad, "dcgmi ended with exit code 226, and none of its tests says that it failed"}});
}

TEST_CASE("a diagnostic of DCGM that is none passes nothing") {
  const auto only = [](const CommandEnd& end) {
    const Found found = said("dcgmi", end);
    REQUIRE(found.size() == 1);
    return found.front();
  };
  CHECK(only(CommandEnd(0, diagnostic(R"({"status":"Skip"})"))) == OtherFinding(warned, "dcgmi ran none of its tests"));
  CHECK(only(CommandEnd(226, diagnostic(passed))) ==
        OtherFinding(bad, "dcgmi ended with exit code 226, and none of its tests says that it failed"));
  CHECK(only(CommandEnd(0, diagnostic(R"({"status":"Lost"})"))) == OtherFinding(bad, "dcgmi says: memory has the result Lost"));
  CHECK(only(CommandEnd(0, diagnostic("{}"))) == OtherFinding(bad, "dcgmi says: memory has the result without a status"));
  CHECK(only(CommandEnd(1, R"({"DCGM Diagnostic":{"runtime_error":"no GPU"}})")) ==
        OtherFinding(bad, "dcgmi could not run its tests: no GPU; it ended with exit code 1"));
  for (const char* const text : {R"({"DCGM Diagnostic":{}})", R"({"DCGM Diagnostic":{"test_categories":[{"category":"a"}]}})"})
    CHECK(only(CommandEnd(0, text)).severity == bad);
  CHECK(only(CommandEnd(0, R"({"DCGM Diagnostic":{"test_categories":[{"tests":[{"name":"a"}]}]}})")).severity == warned);
}

TEST_CASE("half a document is a failure, and other JSON is none of these") {
  const Found found = said("dcgmi", CommandEnd(0, diagnostic(passed).substr(0, 40)));
  REQUIRE(found.size() == 1);
  CHECK(found.front().severity == bad);
  CHECK(found.front().text.starts_with("dcgmi prints what begins as JSON and is none ("));
  CHECK(said("own", CommandEnd(0, R"({"healthy":false})")).empty());
  CHECK(said("own", CommandEnd(1, R"({"healthy":false})")) == Found{{bad, R"(own ended with exit code 1: {"healthy":false})"}});
}

TEST_CASE("a verdict among other words is not lost with the exit code of what printed them") {
  const std::string failed = diagnostic(R"({"gpu_id":2,"status":"Fail"})");
  for (const std::string& text :
       {"start\n" + failed + "\ndone\n", "{log}\n" + failed, "x\n{log}\n" + failed, "x\n  " + failed, "[" + failed + "]",
        "start\n" + failed.substr(0, 60), std::string("start\n{\"overall_severity\":\"CRITICAL\"}\ndone\n"),
        std::string(R"({"host":{"overall_severity":"CRITICAL"}})")}) {
    INFO(text);
    const Found found = said("script", CommandEnd(0, text));
    REQUIRE(found.size() == 1);
    CHECK(found.front().severity == bad);
  }
  CHECK(said("script", CommandEnd(0, "x\n" + failed + "\ny"))[0].text ==
        "script prints a verdict that cannot be read among other words; it ended with exit code 0");
  CHECK(said("script", CommandEnd(0, "start\n{ it goes on }\ndone\n")).empty());
}

TEST_CASE("of many findings the last counts the rest, and failures come first") {
  std::string results;
  for (int i = 0; i < 100; ++i)
    results += fmt::format(R"({}{{"gpu_id":{},"status":"{}"}})", i == 0 ? "" : ",", i, i == 99 ? "Fail" : "Warn");
  const Found found = said("dcgmi", CommandEnd(226, diagnostic(results)));
  REQUIRE(found.size() == max_other_findings);
  CHECK(found.front() == OtherFinding(bad, "dcgmi says: memory failed", "gpu 99"));
  CHECK(found.back() == OtherFinding(warned, "dcgmi says 85 more"));
}
