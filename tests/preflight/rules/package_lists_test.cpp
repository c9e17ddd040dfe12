// What the verdict says of packages that differ.
#include "preflight/rules/package_lists.hpp"

#include <catch2/catch.hpp>

#include "preflight/planted.hpp"

using namespace rollcall;
using namespace rollcall::preflight;
using namespace rollcall::testing;

namespace {

using Packages = std::vector<std::string>;

// Members with the lists by their places; a fact has the list's first letter.
Planted with_lists(const std::vector<Packages>& lists, const std::vector<std::size_t>& reported) {
  Planted planted(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) planted.fact(i, "packages", lists[i].front());
  for (const std::size_t i : reported) planted.evidence.members[i].packages = lists[i];
  return planted;
}

const Packages usual = {"numpy-2.1.0", "torch-2.6.0"};
const Packages old = {"numpy-1.26.4", "scipy-1.14.1", "torch-2.6.0"};

TEST_CASE("what two lists of packages differ in") {
  CHECK(package_difference(usual, usual).empty());
  CHECK(package_difference(old, usual) == "numpy 1.26.4, not 2.1.0; also scipy 1.14.1");
  CHECK(package_difference(usual, old) == "numpy 2.1.0, not 1.26.4; no scipy 1.14.1");
  CHECK(package_difference({"a-1", "a-2"}, {"a-1"}) == "a 1 and 2, not 1");
  CHECK(package_difference({"a-1", "a-2"}, {"a-2", "a-1"}).empty());
  CHECK(package_difference({"only\x1b"}, {}) == "also only\\x1b ");
  Packages many;
  for (char c = 'a'; c <= 'z'; ++c) many.push_back(std::string(1, c) + "-1");
  CHECK(package_difference(many, {}) == "also a 1; also b 1; also c 1; also d 1; also e 1; also f 1; also g 1; also h 1; 18 more");
}

TEST_CASE("one member of each value is asked for its packages, and none where all have the same") {
  CHECK(members_to_ask_for_packages(with_lists({usual, usual, usual}, {}).evidence).empty());
  CHECK(members_to_ask_for_packages(with_lists({usual, usual, old, usual, old}, {}).evidence) == std::vector<std::size_t>{0, 2});
  Planted absent = with_lists({usual, old, usual, old}, {});
  absent.evidence.members[1].state = EvidenceState::absent;
  CHECK(members_to_ask_for_packages(absent.evidence) == std::vector<std::size_t>{0, 3});
  std::vector<Packages> all_other;
  for (char c = 'a'; c <= 'z'; ++c) all_other.push_back({std::string(1, c)});
  all_other.push_back({"z"});
  CHECK(members_to_ask_for_packages(with_lists(all_other, {}).evidence) == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 25});
}

TEST_CASE("a list that is too long for a report is not reported") {
  CHECK(fits_report(usual));
  CHECK_FALSE(fits_report(Packages(2000, std::string(20, 'a'))));
}

TEST_CASE("the odd ones' packages are compared with those of most, by what one of each has reported") {
  CHECK(
      lines_of(with_lists({usual, usual, old, usual, old}, {1, 4}).judged()) ==
      "warning host packages [2,4]: worker 2 (n2) and worker 4 (n4): packages differ from those of all 3 others: numpy 1.26.4, not 2.1.0; "
      "also scipy 1.14.1\n");
  CHECK(lines_of(with_lists({usual, usual, old}, {1}).judged()) ==
        "warning host packages [2]: worker 2 (n2): packages is numpy-1.26.4, and numpy-2.1.0 for all 2 others\n");
  CHECK(lines_of(with_lists({usual, old}, {0, 1}).judged()) ==
        "warning pair packages [0,1]: packages differ, and none are those of most: worker 1 (n1) has others than worker 0 (n0): numpy "
        "1.26.4, "
        "not 2.1.0; also scipy 1.14.1\n");
}

}  // namespace
