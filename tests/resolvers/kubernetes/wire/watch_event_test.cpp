// Events of a watch, recorded from a real server and constructed as attacks.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "json/raw_json.hpp"
#include "json/watch_lines.hpp"
#include "resolvers/kubernetes/wire/watch_event.hpp"
#include "support/paths.hpp"
#include "support/result.hpp"

using namespace rollcall;
using Catch::Contains;

namespace {

std::vector<std::string> lines_of(const std::string& text, std::size_t piece) {
  std::vector<std::string> lines;
  WatchLines reader(1 << 20);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const Result<void> fed = reader.feed(std::string_view(text).substr(at, piece), [&lines](std::string_view line) {
      lines.emplace_back(line);
      return Result<void>();
    });
    REQUIRE(fed);
  }
  return lines;
}

}  // namespace

TEST_CASE("a member of an object is found by its bytes") {
  constexpr std::string_view text = R"( { "a" : {"type":"x","n":[1,{"b":"]}"}]} , "type":"ADDED","n": -1.5e3 ,"t":true, "s":"a\"b\\" } )";
  CHECK(raw_json_member(text, "type") == R"("ADDED")");
  CHECK(raw_json_member(text, "a") == R"({"type":"x","n":[1,{"b":"]}"}]})");
  CHECK(raw_json_member(text, "n") == "-1.5e3");
  CHECK(raw_json_member(text, "t") == "true");
  CHECK(raw_json_member(text, "s") == R"("a\"b\\")");
  CHECK(!raw_json_member(text, "b"));
  for (const char* broken : {"", "[]", "{", "{\"a", "{\"a\":", "{\"a\":1", "{\"a\":\"", "{\"a\":\"\\", "{\"a\":[}", "nonsense", "{a:1}"}) {
    CAPTURE(broken);
    CHECK_NOTHROW(raw_json_member(broken, "a"));
  }
}

TEST_CASE("lines are put together from pieces of any size") {
  for (const std::size_t piece : {1, 2, 3, 7, 100}) {
    CHECK(lines_of("one\ntwo\n\n  \nthree\nrest", piece) == std::vector<std::string>{"one", "two", "three"});
  }
  WatchLines reader(10);
  const auto ignore = [](std::string_view) { return Result<void>(); };
  CHECK(reader.feed("12345", ignore));
  const Result<void> fed = reader.feed("678901", ignore);
  REQUIRE(fed.has_error());
  CHECK(fed.error().code() == Errc::limit_exceeded);
}

TEST_CASE("added, modified, deleted") {
  const Result<WatchEvent> event = parse_watch_event(
      R"({"type":"MODIFIED","object":{"kind":"Pod","metadata":{"name":"w-0","namespace":"train","uid":"u1","resourceVersion":"1042"},
        "status":{"phase":"Running","podIP":"10.0.0.1","conditions":[{"type":"Ready","status":"True"}]}}})");
  REQUIRE(event);
  CHECK(event->type == WatchEventType::modified);
  CHECK(event->resource_version == "1042");
  CHECK(event->pod.name == "w-0");
  CHECK(event->pod.uid == "u1");
  CHECK(event->pod.is_ready);
  CHECK(parse_watch_event(R"({"type":"DELETED","object":{"metadata":{"name":"w"}}})")->type == WatchEventType::deleted);
}

TEST_CASE("an event is the same in whichever order and with whichever blanks it is written") {
  const std::string pod = R"({"metadata":{"name":"a","resourceVersion":"7"},"status":{"phase":"Running"}})";
  const Result<WatchEvent> usual = parse_watch_event(R"({"type":"ADDED","object":)" + pod + "}");
  REQUIRE(usual);
  for (const std::string& line : {
           R"({ "type" : "ADDED" , "object" : )" + pod + " }",
           R"({"object":)" + pod + R"(,"type":"ADDED"})",
           R"({"type":"ADDED","object":)" + pod + R"(,"more":{"metadata":{"name":"b"}}})",
           R"({"type":"ADDED","more":[1,2],"object":)" + pod + "}",
           R"({"type":"ADDED","object":{"metadata":{"name":"b"}},"object":)" + pod + "}",
       }) {
    CAPTURE(line);
    const Result<WatchEvent> event = parse_watch_event(line);
    REQUIRE(event);
    CHECK(event->type == usual->type);
    CHECK(event->pod == usual->pod);
    CHECK(event->resource_version == "7");
  }
  // The first one counts, although a list of pods may have both.
  CHECK(parse_watch_event(R"({"type":"ADDED","object":)" + pod + R"(,{"metadata":{"name":"b"}}})")->pod == usual->pod);
}

TEST_CASE("a bookmark has a version and nulls where arrays belong") {
  const Result<WatchEvent> event = parse_watch_event(
      R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"99"},"spec":{"containers":null},"status":{}}})");
  REQUIRE(event);
  CHECK(event->type == WatchEventType::bookmark);
  CHECK(event->resource_version == "99");
  CHECK(parse_watch_event(R"({"type":"BOOKMARK","object":{"metadata":{}}})").has_error());
}

TEST_CASE("an error is a status, from which no version is taken") {
  const Result<WatchEvent> event = parse_watch_event(
      R"x({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{"resourceVersion":"7"},"status":"Failure","message":"too old resource version: 45 (179)","reason":"Expired","code":410}})x");
  REQUIRE(event);
  CHECK(event->type == WatchEventType::error);
  CHECK(event->resource_version.empty());
  CHECK(event->status.code == 410);
  CHECK(event->status.reason == "Expired");
  CHECK(parse_watch_event(R"({"type":"ERROR","object":"no status at all"})")->type == WatchEventType::error);
}

TEST_CASE("events of unknown types are skipped, and documents that are not events are refused") {
  CHECK(parse_watch_event(R"({"type":"FUTURE","object":{}})")->type == WatchEventType::other);
  for (const char* line :
       {"<html>", "{}", R"({"type":"ADDED"})", R"({"type":"ADDED","object":{}})", R"({"type":"ADDED","object":[]})",
        R"({"type":"ADDED","object":{"metadata":{"name":1}}})", R"({"type":"ADDED","object":{"metadata":{"name":"a"})"}) {
    CAPTURE(line);
    CHECK(parse_watch_event(line).has_error());
  }
}

TEST_CASE("what a real server sent can be read") {
  const std::filesystem::path folder = testing::tests_dir() / "samples/k8s";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("watch-")) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream all;
    all << file.rdbuf();
    ++files;
    std::string line;
    while (std::getline(all, line)) {
      if (!line.starts_with("{\"type\":")) continue;
      CAPTURE(name, line);
      const Result<WatchEvent> event = parse_watch_event(line);
      CHECK(event);
    }
  }
  CHECK(files > 0);
}
