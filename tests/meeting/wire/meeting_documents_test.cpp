// What tasks and gatherers say to each other.
#include "meeting/wire/meeting_documents.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::meeting;
using namespace rollcall::testing;
using Catch::Matchers::Contains;

namespace {

TEST_CASE("a hello is read as it was written") {
  Hello hello;
  hello.incarnation = "0123456789abcdef";
  hello.sequence = 7;
  hello.call = 2;
  hello.generation = 3;
  hello.stage = Stage::left;
  hello.why = "port 8470 is in use";
  const std::string json = write_hello(hello);
  CHECK(json == R"({"incarnation":"0123456789abcdef","sequence":7,"call":2,"stage":"left","generation":3,"why":"port 8470 is in use"})");
  const Hello again = value_of(read_hello(json));
  CHECK(write_hello(again) == json);
}

TEST_CASE("stages are read as they were written") {
  Hello hello;
  hello.incarnation = "0123456789abcdef";
  hello.sequence = 1;
  hello.stage = Stage::coming;
  hello.stages = {StageSpan("uv \"sync\"", std::chrono::milliseconds(1500), true, 2), StageSpan("data", std::chrono::seconds(3))};
  const std::string json = write_hello(hello);
  CHECK_THAT(
      json, Contains(R"("stages":[{"name":"uv \"sync\"","ms":1500,"state":"over","exit":2},{"name":"data","ms":3000,"state":"running"}])"));
  CHECK(value_of(read_hello(json)).stages == hello.stages);
  hello.stages.assign(max_stages, StageSpan(std::string(max_stage_name_bytes, '"'), std::chrono::hours(24 * 366), true, 255));
  hello.tasks.assign(1024, '"');
  const std::string largest = write_hello(hello);
  CHECK(largest.size() <= max_hello_bytes);
  CHECK(read_hello(largest).has_value());
  hello.stages.emplace_back("one more", std::chrono::seconds(1));
  CHECK_THAT(read_hello(write_hello(hello)).error().what(), Contains("more than 32 stages"));
  const auto with_name = [](std::string_view name) {
    return fmt::format(R"({{"incarnation":"0123456789abcdef","sequence":1,"call":0,"stage":"coming","stages":[{{"name":"{}"}}]}})", name);
  };
  CHECK(read_hello(with_name("sync")).has_value());
  CHECK_THAT(read_hello(with_name(R"(\u001b[31m)")).error().what(), Contains("is no name of a stage"));
  CHECK_THAT(read_hello(with_name("")).error().what(), Contains("is empty"));
}

TEST_CASE("an answer is read as it was written") {
  RollAnswer answer;
  answer.members = 64;
  answer.here = 63;
  answer.call = 1;
  answer.missing.emplace_back("worker:17", "not started");
  const std::string json = write_answer(answer);
  CHECK(json ==
        R"({"members":64,"here":63,"call":1,"state":"waiting","generation":0,"missing":[{"task":"worker:17","why":"not started"}]})");
  CHECK(write_answer(value_of(read_answer(json))) == json);
}

TEST_CASE("documents that are none are refused") {
  const auto refusal = [](std::string_view json) { return read_hello(json).error().what(); };
  CHECK_THAT(refusal("{}"), Contains("incarnation, sequence, call or stage"));
  CHECK_THAT(refusal(R"({"incarnation":"x","sequence":1,"call":0,"stage":"barrier"})"), Contains("not 16 hexadecimal digits"));
  CHECK_THAT(refusal(R"({"incarnation":"0123456789abcdef","sequence":-1,"call":0,"stage":"barrier"})"), Contains("-1"));
  CHECK_THAT(refusal(R"({"incarnation":"0123456789abcdef","sequence":1,"call":0,"stage":"asleep"})"), Contains("no stage"));
  CHECK_THAT(refusal(R"({"incarnation":"0123456789abcdef","sequence":1,"call":0,"stage":"barrier","generation":9007199254740993})"),
             Contains("not the number of a start"));
  CHECK_THAT(read_answer(R"({"members":2,"here":3,"call":0,"state":"waiting"})").error().what(), Contains("3 of 2"));
}

}  // namespace
