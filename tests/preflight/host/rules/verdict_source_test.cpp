// The commands of --verdict-from, and their findings.
#include <catch2/catch.hpp>

#include "preflight/host/rules/judge_host.hpp"

using namespace rollcall;

TEST_CASE("a source is named by its program") {
  struct Row {
    const char* text;
    const char* name;
  };
  for (const Row& row : {Row{"dcgmi diag -r 1 -j", "dcgmi"},
                         {"/usr/sbin/nhc", "nhc"},
                         {"nagios:/usr/lib/check_disk -w 10%", "check_disk"},
                         {"  A=/b B= ./run.sh", "run.sh"},
                         {"'my tool'", "my"},
                         {"$(x)", "x"},
                         {"!", "command"},
                         {"a=b", "command"}}) {
    CAPTURE(row.text);
    CHECK(VerdictSource::parse(row.text).value().name == row.name);
  }
  CHECK(VerdictSource::parse("nagios:check a").value().command == "check a");
  CHECK(VerdictSource::parse("nagios:check a").value().is_nagios);
  CHECK_FALSE(VerdictSource::parse("check nagios:").value().is_nagios);
}

TEST_CASE("sources of one program are named apart by the words that differ, or numbered") {
  const auto names = [](std::vector<std::string> texts) {
    std::string all;
    for (const VerdictSource& source : VerdictSource::parse_all(texts).value()) all += source.name + "|";
    return all;
  };
  CHECK(names({"dcgmi diag -r 1 -j", "/usr/bin/dcgmi health -c -j"}) == "dcgmi diag -r 1|dcgmi health -c|");
  CHECK(names({"nagios:check_disk -w 5% /data", "nhc", "nagios:check_disk -w 5% '/scratch'"}) ==
        "check_disk /data|nhc|check_disk /scratch|");
  CHECK(names({"nhc", "nhc -v", "nhc"}) == "nhc|nhc -v|nhc #2|");
  CHECK(names({"true", "true", "true"}) == "true|true #2|true #3|");
  CHECK(names({"ask token=ya29.a0AfH6SMBxxxxxxxxxxx", "ask token=ya29.b0AfH6SMBxxxxxxxxxxx"}) == "ask|ask #2|");
  CHECK(names({"a " + std::string(70, 'x'), "a y"}) == "a|a y|");
}

TEST_CASE("nvhcd is a socket with arguments for its check") {
  const VerdictSource source = VerdictSource::parse("nvhcd:unix:///var/run/nvhcd.sock").value();
  CHECK(source.name == "nvhcd");
  CHECK(source.socket == "/var/run/nvhcd.sock");
  CHECK(source.arguments == std::vector<std::string>{"--no-slurm"});
  CHECK(VerdictSource::parse("nvhcd:unix:///a  --group gpu logs").value().arguments ==
        std::vector<std::string>{"--no-slurm", "--group", "gpu", "logs"});
  CHECK(VerdictSource::parse("nvhcd -v").value().socket.empty());
  for (const std::string& text :
       {std::string("nvhcd:"), std::string("nvhcd:/run/nvhcd.sock"), std::string("nvhcd:unix:run/nvhcd.sock"), std::string("nvhcd:unix://"),
        "nvhcd:unix:///" + std::string(107, 'a'), std::string("nvhcd:dcgmi diag")}) {
    CAPTURE(text);
    CHECK(VerdictSource::parse(text).error().code() == Errc::invalid_argument);
  }
  CHECK(VerdictSource::parse("nvhcd:unix:///" + std::string(106, 'a')).value().socket.size() == 107);
  const std::vector<std::string> two = {"nvhcd:unix:///a.sock", "nvhcd:unix:///b.sock"};
  CHECK(VerdictSource::parse_all(two).value()[1].name == "nvhcd unix:///b.sock");
}

TEST_CASE("a source that is none is refused") {
  for (const std::string& text : {std::string(), std::string("nagios: "), std::string("a\0b", 3), std::string(5000, 'a')})
    CHECK(VerdictSource::parse(text).error().code() == Errc::invalid_argument);
  CHECK(VerdictSource::parse_all(std::vector<std::string>(8, "true")).value().size() == 8);
  CHECK(VerdictSource::parse_all(std::vector<std::string>(9, "true")).error().what().find("at most 8") != std::string::npos);
}

TEST_CASE("findings of others have their name in the check, and their device") {
  HostLook look;
  look.host = "n17";
  OtherLook& other = look.others.emplace_back(VerdictSource::parse("dcgmi diag -j").value());
  other.end =
      CommandEnd(226, R"({"DCGM Diagnostic":{"test_categories":[{"tests":[{"name":"pcie","results":[{"gpu_id":3,"status":"Fail"}]}]}]}})");
  look.others.emplace_back(VerdictSource::parse("nagios:check_disk").value()).end = CommandEnd(1, "7% free");
  const HostReport report = judge_host(look, HostChecks::parse(std::vector<std::string>{"kernel"}).value());
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].check == "others/dcgmi");
  CHECK(report.findings[0].scope == FindingScope::device);
  CHECK(report.findings[0].device == "gpu 3");
  CHECK(report.findings[1].check == "others/check_disk");
  CHECK(report.findings[1].severity == FindingSeverity::warning);
  CHECK(report.verdict().findings[0].text == "n17 gpu 3: dcgmi says: pcie failed");
  CHECK(report.verdict().findings[1].text == "n17: check_disk says: 7% free");
  CHECK_FALSE(report.verdict().passed);
}
