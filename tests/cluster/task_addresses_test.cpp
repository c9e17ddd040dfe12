#include <catch2/catch.hpp>
#include <random>

#include "rollcall/task_addresses.hpp"

using namespace rollcall;

TEST_CASE("addresses of tasks are ordered as in a map, for any order of insertion") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::map<int, std::string> expected;
    TaskAddresses tasks;
    for (int i = std::uniform_int_distribution(0, 30)(random); i > 0; --i) {
      const int index = std::uniform_int_distribution(-3, 20)(random);
      const std::string address = std::to_string(i);
      if (std::uniform_int_distribution(0, 1)(random) == 0) {
        expected.insert_or_assign(index, address);
        tasks.insert_or_assign(index, address);
      } else {
        const auto [at, is_new] = tasks.emplace(index, address);
        const auto [known, is_new_there] = expected.emplace(index, address);
        CHECK(is_new == is_new_there);
        CHECK(at->first == index);
        CHECK(at->second == known->second);
      }
    }
    CHECK(std::equal(tasks.begin(), tasks.end(), expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; }));
    CHECK(tasks.size() == expected.size());
    CHECK(tasks.empty() == expected.empty());
    CHECK(tasks == TaskAddresses(expected));
    for (int index = -4; index <= 21; ++index) {
      CHECK(tasks.contains(index) == expected.contains(index));
      if (expected.contains(index)) CHECK(tasks.at(index) == expected.at(index));
    }
    if (!expected.empty()) CHECK(tasks.rbegin()->first == expected.rbegin()->first);
  }
}

TEST_CASE("a missing index throws, and is not added") {
  const TaskAddresses tasks{{2, "a:1"}, {0, "b:1"}, {2, "c:1"}};
  CHECK(tasks.size() == 2);
  CHECK(tasks.at(2) == "a:1");
  CHECK_THROWS_AS(tasks.at(1), std::out_of_range);
  CHECK(tasks.find(1) == tasks.end());
}
