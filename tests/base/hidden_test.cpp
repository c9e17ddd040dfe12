// Invisible characters, and those that control a terminal, in text, JSON and metrics.
#include <catch2/catch.hpp>

#include "base/text.hpp"
#include "json/json_text.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/metrics.hpp"

using namespace rollcall;

namespace {

std::string utf8(char32_t code) {
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
  const std::string rest = {static_cast<char>(0x80 | (code >> 6 & 0x3F)), static_cast<char>(0x80 | (code & 0x3F))};
  if (code < 0x10000) return static_cast<char>(0xE0 | code >> 12) + rest;
  return std::string{static_cast<char>(0xF0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 0x3F))} + rest;
}

std::vector<char32_t> obeyed() {
  std::vector<char32_t> codes;
  for (char32_t code = 0; code < 0x20; ++code) codes.push_back(code);
  for (char32_t code = 0x7F; code < 0xA0; ++code) codes.push_back(code);
  for (char32_t code = 0x202A; code <= 0x202E; ++code) codes.push_back(code);
  for (char32_t code = 0x2066; code <= 0x2069; ++code) codes.push_back(code);
  for (const char32_t code :
       {0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x061C, 0x2028, 0x2029, 0xFEFF, 0x2060, 0xAD, 0x110BD, 0x13430, 0xE0001})
    codes.push_back(code);
  return codes;
}

std::string json_of(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

}  // namespace

TEST_CASE("characters that control a terminal, or mislead a reader, are not printable") {
  for (const char32_t code : obeyed()) {
    CAPTURE(static_cast<unsigned>(code));
    const std::string text = "a" + utf8(code) + "b";
    CHECK(printable_line(text).find(utf8(code)) == std::string::npos);
    CHECK(printable_line(text).find('\\') == 1);
    const std::string json = json_of(text);
    CHECK(json.find(utf8(code)) == std::string::npos);
    CHECK(json.find('\\') == 2);
  }
  for (const std::string_view invalid : {"\x9b", "\xc2", "\xe2\x80", "\xc0\x9b", "\xed\xa0\x80", "\xf5\x80\x80\x80"})
    CHECK(is_valid_utf8(printable_line(invalid)));
}

TEST_CASE("JSON escapes in UTF-16, and keeps what shows") {
  CHECK(json_of("\xe2\x80\xae") == "\"\\u202e\"");
  CHECK(json_of("\xc2\x9b") == "\"\\u009b\"");
  CHECK(json_of(utf8(0x1D173)) == "\"\\ud834\\udd73\"");
  CHECK(json_of("gr\xc3\xbc\xc3\x9f \xf0\x9f\x9a\x80") == "\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x9a\x80\"");
}

TEST_CASE("a member's label is one line, for any name") {
  Member member("wor\x1b[2Jker", 3);
  member.name = "pod\r\nworker 9 (6.6.6.6:1)";
  CHECK(member.label() == "wor\\x1b[2Jker 3 (pod\\x0d\\x0aworker 9 (6.6.6.6:1))");
  member.address = "10.0.0.1\xc2\x9b:1";
  CHECK(member.label() == "wor\\x1b[2Jker 3 (10.0.0.1\\u{9b}:1)");
}

TEST_CASE("a label of metrics is shown as it is read") {
  MetricsSnapshot snapshot;
  MetricFamily& family = snapshot.families.emplace_back();
  family.name = "x";
  family.label_names = {"host"};
  MetricSample& sample = family.samples.emplace_back();
  sample.labels = {"a\x1b[2J\xe2\x80\xae\"\\\nb\n"};
  CHECK_THAT(snapshot.to_prometheus(), Catch::Contains(R"(x{host="a\\x1b[2J\\u{202e}\"\\\nb\n"} 0)"));
}
