// Cluster specs as JSON and as ClusterDef bytes.
#include <catch2/catch.hpp>

#include "rollcall/cluster_spec.hpp"
#include "support/result.hpp"

using namespace rollcall;

namespace {

Failure json_failure(std::string_view text) {
  const Result<ClusterSpec> spec = ClusterSpec::from_json(text);
  REQUIRE_FALSE(spec);
  CHECK(spec.error().message().size() < 1000);
  CHECK(spec.error().message().find('\x1b') == std::string::npos);
  return spec.error();
}

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out.push_back(static_cast<char>(value));
  return out;
}

}  // namespace

TEST_CASE("JSON round trip keeps jobs' order and the holes") {
  for (const char* text :
       {"{}", R"({"worker":["w0:1"],"ps":["p:1","q:1"]})", R"({"s":{"0":"a","3":"b"},"n":{}})", R"({"w":["[fd00::1]:8470"]})"}) {
    CHECK(ClusterSpec::from_json(text).value().to_json() == text);
  }
  CHECK(ClusterSpec::from_json(R"({"n":[]})").value().to_json() == R"({"n":{}})");
  CHECK(ClusterSpec::from_json(R"({"w":{"1":"b","0":"a"}})").value().to_json() == R"({"w":["a","b"]})");
}

TEST_CASE("task indices are converted as Python's int() does") {
  CHECK(ClusterSpec::from_json(R"({"w":{"01":"a"," 2 ":"b","+3":"c","-0":"d"}})").value().to_json() == R"({"w":["d","a","b","c"]})");
  CHECK_THAT(json_failure(R"({"w":{"-1":"a"}})").message(), Catch::Contains("'w'") && Catch::Contains("-1"));
  CHECK_THAT(json_failure(R"({"w":{"1":"a","01":"b"}})").message(), Catch::Contains("'w'") && Catch::Contains("'01'"));
  for (const char* key : {"", " ", "x", "1.0", "1e3", "0x1", "2147483648", "99999999999999999999999"}) {
    CAPTURE(key);
    CHECK(json_failure("{\"w\":{\"" + std::string(key) + "\":\"a\"}}").code() == Errc::invalid_argument);
  }
  CHECK(ClusterSpec::from_json(R"({"w":{"2147483647":"a"}})"));
}

TEST_CASE("JSON of the wrong shape is refused by name") {
  CHECK_THAT(json_failure(R"({"worker":"a:1"})").message(), Catch::Contains("'worker'"));
  CHECK_THAT(json_failure(R"({"worker":null})").message(), Catch::Contains("'worker'"));
  CHECK_THAT(json_failure(R"({"worker":["a",2]})").message(), Catch::Contains("'worker'") && Catch::Contains("task 1"));
  CHECK_THAT(json_failure(R"({"worker":{"7":null}})").message(), Catch::Contains("'worker'") && Catch::Contains("task 7"));
  CHECK_THAT(json_failure(R"({"worker":[["a"]]})").message(), Catch::Contains("an array"));
  CHECK_THAT(json_failure("{\"\\u001b[2J\":1}").message(), Catch::Contains("\\x1b"));
  for (const char* text :
       {"", "null", "[]", "1", "\"x\"", "true", "{", "{}x", "{'a':[]}", "{\"a\":[\"\xff\"]}", "{\"a\":[\"\\ud800\"]}", "\xef\xbb\xbf{}"}) {
    CAPTURE(text);
    CHECK(json_failure(text).code() == Errc::invalid_argument);
  }
}

TEST_CASE("large and deep JSON") {
  CHECK(ClusterSpec::from_json("{\"w\":[\"" + std::string(10'000'000, 'x') + "\"]}").value().task_address("w", 0).value().size() ==
        10'000'000);
  CHECK(json_failure("{\"w\":" + std::string(1000, '[') + std::string(1000, ']') + "}").code() == Errc::invalid_argument);
  CHECK(json_failure(std::string(10'000'000, '[')).code() == Errc::invalid_argument);
  std::string jobs = "{";
  for (int i = 0; i < 4097; ++i) jobs += (i ? ",\"" : "\"") + std::to_string(i) + "\":[]";
  CHECK(json_failure(jobs + "}").code() == Errc::limit_exceeded);
}

TEST_CASE("JSON output is always valid JSON") {
  ClusterSpec spec;
  spec.set_job("a\"\\\n\x1b\xff", {"\x7f"
                                   "é"});
  const std::string text = spec.to_json();
  CHECK(text == "{\"a\\\"\\\\\\n\\u001b\xEF\xBF\xBD\":[\"\\u007fé\"]}");
  CHECK(ClusterSpec::from_json(text));
}

TEST_CASE("ClusterDef bytes: jobs by name, tasks by index, the same every time") {
  const ClusterSpec spec = ClusterSpec::from_json(R"({"worker":{"1":"b","0":"a"},"ps":["p"]})").value();
  const std::string expected = "\x0a\x0b\x0a\x02ps\x12\x05\x08" + bytes({0}) + "\x12\x01p" + "\x0a\x16\x0a\x06worker\x12\x05\x08" +
                               bytes({0}) +
                               "\x12\x01"
                               "a\x12\x05\x08\x01\x12\x01"
                               "b";
  CHECK(spec.to_cluster_def() == expected);
  ClusterSpec large;
  ClusterSpec::Tasks tasks;
  for (int i = 0; i < 1000; ++i) tasks.emplace(i * 7, std::to_string(i));
  REQUIRE(large.set_job("w", tasks));
  const std::string once = large.to_cluster_def();
  CHECK(ClusterSpec::from_cluster_def(once).value() == large);
  CHECK(ClusterSpec::from_cluster_def(once).value().to_cluster_def() == once);
}

TEST_CASE("a spec read from a ClusterDef keeps the order of its jobs") {
  const std::string unsorted =
      "\x0a\x03\x0a\x01z\x0a\x03\x0a\x01"
      "a";
  const ClusterSpec spec = ClusterSpec::from_cluster_def(unsorted).value();
  CHECK(spec.jobs() == std::vector<std::string>{"z", "a"});
  CHECK(spec.to_cluster_def() == unsorted);
  CHECK(ClusterSpec::from_cluster_def("").value().empty());
  CHECK(spec.num_tasks("z").value() == 0);
  CHECK(ClusterSpec::from_json(spec.to_json()).value() == spec);
}

TEST_CASE("bytes that are no usable ClusterDef") {
  CHECK(ClusterSpec::from_cluster_def("\xff\xff\xff").error().code() == Errc::malformed_response);
  CHECK(ClusterSpec::from_cluster_def("<html>").error().code() == Errc::malformed_response);
  CHECK(ClusterSpec::from_cluster_def("\x0a\x10\x0a").error().code() == Errc::malformed_response);  // cut short
  CHECK(ClusterSpec::from_cluster_def("\x0a\x04\x0a\x02\xff\xfe").error().code() == Errc::malformed_response);
  const std::string bad_address = "\x0a\x0a\x0a\x01w\x12\x05\x08\x01\x12\x01\xff";
  CHECK(ClusterSpec::from_cluster_def(bad_address).error().code() == Errc::malformed_response);
  // key -1: ten bytes of varint
  const std::string negative =
      "\x0a\x13\x0a\x01w\x12\x0e\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x01"
      "a";
  const Failure failure = ClusterSpec::from_cluster_def(negative).error();
  CHECK(failure.code() == Errc::invalid_argument);
  CHECK_THAT(failure.message(), Catch::Contains("'w'") && Catch::Contains("-1"));
  std::string jobs;
  for (int i = 0; i < 4097; ++i) jobs += std::string("\x0a\x00", 2);
  CHECK(ClusterSpec::from_cluster_def(jobs).error().code() == Errc::limit_exceeded);
}

TEST_CASE("unknown fields of a later ClusterDef are skipped, a repeated job replaces the earlier one") {
  const std::string with_unknown = "\x0a\x06\x0a\x01w\x1a\x01x\x12\x01y";
  CHECK(ClusterSpec::from_cluster_def(with_unknown).value().jobs() == std::vector<std::string>{"w"});
  const std::string twice = std::string(
                                "\x0a\x0a\x0a\x01w\x12\x05\x08\x01\x12\x01"
                                "a") +
                            "\x0a\x03\x0a\x01w";
  CHECK(ClusterSpec::from_cluster_def(twice).value().num_tasks("w").value() == 0);
}
