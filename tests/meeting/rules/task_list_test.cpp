// The names of all tasks in one text.
#include "meeting/rules/task_list.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::meeting;
using namespace rollcall::testing;
using Catch::Matchers::Contains;

namespace {

std::string list_of(const std::vector<std::string>& names) {
  std::vector<MeetingTask> tasks;
  for (const std::string& name : names) tasks.emplace_back(name, Endpoint("a", 1));
  return value_of(write_task_list(tasks));
}

TEST_CASE("a list of tasks is read as it was written") {
  const auto [names, text] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"worker:0"}, "worker:0"},
      {{"chief:0", "worker:0", "worker:1", "worker:2"}, "chief:0 worker:0-2"},
      {{"worker:1", "worker:2", "worker:5", "worker:7", "worker:8"}, "worker:1-2,5,7-8"},
      {{"a:0", "b:1", "a:1"}, "a:0 b:1 a:1"},
      {{"a:0-1:4"}, "a:0-1:4"},
  }));
  if (names.front() == "a:0-1:4") {  // a colon in a job's name
    std::vector<MeetingTask> tasks;
    tasks.emplace_back(names.front(), Endpoint("a", 1));
    CHECK_THAT(write_task_list(tasks).error().what(), Contains("cannot keep the roll of a task with the name"));
    return;
  }
  CHECK(list_of(names) == text);
  CHECK(value_of(read_task_list(text)) == names);
}

TEST_CASE("a list of ten thousand tasks is short") {
  std::vector<std::string> names;
  for (int i = 0; i < 10'000; ++i) names.push_back(fmt::format("worker:{}", i));
  CHECK(list_of(names) == "worker:0-9999");
}

TEST_CASE("texts that are no list of tasks are refused") {
  const std::string text = GENERATE("", " ", "worker", "worker:", ":0", "worker:1-0", "worker:-1", "worker:0-", "worker:0,,1", "a:0  b:0",
                                    "worker:0-65536", "a:0-65535 b:0", "worker:99999999999999999999", "w\"r:0", "worker:+1", "worker: 1");
  INFO(text);
  CHECK(read_task_list(text).has_error());
}

TEST_CASE("lists that are too long are refused") {
  CHECK(read_task_list(std::string(max_task_list_bytes + 1, 'a')).error().code() == Errc::limit_exceeded);
  std::vector<MeetingTask> tasks;
  for (int i = 0; i < 1000; ++i) tasks.emplace_back(fmt::format("worker:{}", 2 * i), Endpoint("a", 1));
  CHECK(write_task_list(tasks).error().code() == Errc::limit_exceeded);
}

}  // namespace
