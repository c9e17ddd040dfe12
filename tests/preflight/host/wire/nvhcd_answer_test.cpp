// The messages of nvhcd, as its clients and servers write them.
#include "preflight/host/wire/nvhcd_answer.hpp"

#include <catch2/catch.hpp>

#include "preflight/host/wire/other_verdict.hpp"

using namespace rollcall;

namespace {

std::string text_field(char tag, const std::string& text) {
  REQUIRE(text.size() < 128);
  return std::string{tag, static_cast<char>(text.size())} + text;
}

// A HealthCheckResponse; fields with the value of their type's default are left out, as protobuf does.
std::string nvhcd_answer(bool is_success, int exit_code, const std::string& output, const std::string& error = {}) {
  std::string message;
  if (is_success) message += "\x08\x01";
  if (exit_code != 0) message += std::string{'\x10', static_cast<char>(exit_code)};
  if (!output.empty()) message += text_field('\x1a', output);
  if (!error.empty()) message += text_field('\x22', error);
  return message;
}

std::vector<OtherFinding> said_by_nvhcd(std::string bytes) {
  return read_other_verdict(VerdictSource::parse("nvhcd:unix:///run/nvhcd.sock").value(), CommandEnd(0, std::move(bytes)));
}

OtherFinding nvhcd_failure(std::string words) { return OtherFinding(FindingSeverity::failure, "nvhcd says" + std::move(words)); }

std::string no_nvhcd_verdict(const std::string& bytes) {
  const std::vector<OtherFinding> found = said_by_nvhcd(bytes);
  REQUIRE(found.size() == 1);
  CHECK(found.front().severity == FindingSeverity::warning);
  REQUIRE(found.front().text.starts_with("nvhcd gave no verdict: "));
  return found.front().text.substr(23);
}

}  // namespace

TEST_CASE("arguments for nvhcd are texts of one list") {
  CHECK(nvhcd_request({}).empty());
  CHECK(nvhcd_request({"--no-slurm", "", "gpu"}) == "\x0a\x0a--no-slurm" + std::string("\x0a\x00\x0a\x03gpu", 7));
  CHECK(nvhcd_request({std::string(300, 'a')}) == "\x0a\xac\x02" + std::string(300, 'a'));
}

TEST_CASE("a host that nvhcd finds healthy has no finding") {
  CHECK(said_by_nvhcd(nvhcd_answer(true, 0, R"({"fail_count": 0, "failed_checks": []})")).empty());
  CHECK(said_by_nvhcd(nvhcd_answer(true, 0, " {\"fail_count\": 0.0}\n")).empty());
  CHECK(said_by_nvhcd(nvhcd_answer(true, 0, R"({"fail_count":0})") + "\x2a\x01x\x30\x07").empty());  // fields of a later release
}

TEST_CASE("failed checks of nvhcd are a failure") {
  const auto failed = [](std::string words) { return std::vector<OtherFinding>{nvhcd_failure(std::move(words))}; };
  CHECK(said_by_nvhcd(nvhcd_answer(true, 0, R"({"fail_count": 2, "failed_checks": ["gpu", "logs"]})")) ==
        failed(": 2 checks failed: gpu, logs"));
  CHECK(said_by_nvhcd(nvhcd_answer(true, 0, R"({"fail_count": 1})")) == failed(": 1 check failed"));
  CHECK(said_by_nvhcd(nvhcd_answer(true, 0, R"({"fail_count": -1, "failed_checks": [3]})")) == failed(": -1 checks failed"));
  CHECK(said_by_nvhcd(nvhcd_answer(false, 1, R"({"fail_count":1,"failed_checks":["gpu"]})", "exit 1")) ==
        failed(": 1 check failed: gpu; exit 1"));
  CHECK(said_by_nvhcd(nvhcd_answer(false, 0, R"({"fail_count": 0})")) ==
        failed(" that its check failed (exit code 0): {\"fail_count\": 0}"));
  CHECK(said_by_nvhcd(nvhcd_answer(false, 42, "", "timed out")) == failed(" that its check failed (exit code 42): timed out"));
  CHECK(said_by_nvhcd("") == failed(" that its check failed (exit code 0)"));
}

TEST_CASE("an answer of nvhcd that says nothing of the host is a warning") {
  CHECK(no_nvhcd_verdict(nvhcd_answer(true, 0, "")) == "its output is empty");
  CHECK(no_nvhcd_verdict(nvhcd_answer(true, 0, "all fine")).ends_with(": 'all fine'"));
  CHECK(no_nvhcd_verdict(nvhcd_answer(true, 0, R"({"fail_count": 0)")).find("its output") == 0);
  CHECK(no_nvhcd_verdict(nvhcd_answer(true, 0, R"({"healthy":true})")) == R"(its output has no fail_count: '{"healthy":true}')");
  CHECK(no_nvhcd_verdict(nvhcd_answer(true, 0, R"({"fail_count":null})")) == R"(its output has no fail_count: '{"fail_count":null}')");
  CHECK(no_nvhcd_verdict(nvhcd_answer(true, 0, "[0]")) == "its output has no fail_count: '[0]'");
  CHECK(no_nvhcd_verdict(nvhcd_answer(true, 0, R"({"fail_count":"0"})")) == R"(fail_count of its output is a text: '{"fail_count":"0"}')");
  CHECK(no_nvhcd_verdict(nvhcd_answer(true, 3, R"({"fail_count":0})")) == "it says success, and that its check ended with exit code 3");
  CHECK(no_nvhcd_verdict("HTTP/1.1 404 Not Found").find("these 22 bytes are no HealthCheckResponse: ") == 0);
  CHECK(no_nvhcd_verdict("\x08\x01\x1a\x7f{").find("these 5 bytes") == 0);
}

TEST_CASE("a daemon that does not answer gives no verdict, whatever it is asked by") {
  CommandEnd end;
  end.failure = "unix:///run/nvhcd.sock: connection refused";
  CHECK(read_other_verdict(VerdictSource::parse("nvhcd:unix:///run/nvhcd.sock").value(), end) ==
        std::vector<OtherFinding>{{FindingSeverity::warning, "nvhcd gave no verdict: unix:///run/nvhcd.sock: connection refused"}});
}

TEST_CASE("long words of nvhcd are shortened, and show no secret") {
  const std::string long_name(900'000, 'x');
  const std::string output = R"({"fail_count":1,"failed_checks":["token=ya29.a0AfH6SMBxxxxxxxxxxx )" + long_name + "\"]}";
  std::string message = "\x08\x01\x1a";
  for (std::size_t size = output.size(); size != 0; size >>= 7U) message += static_cast<char>((size & 0x7fU) | (size > 0x7f ? 0x80U : 0U));
  const std::vector<OtherFinding> found = said_by_nvhcd(message + output);
  REQUIRE(found.size() == 1);
  CHECK(found.front().severity == FindingSeverity::failure);
  CHECK(found.front().text.find("ya29") == std::string::npos);
  CHECK(found.front().text.size() <= max_other_words + 3);
}
