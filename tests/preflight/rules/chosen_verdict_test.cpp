// Verdicts of several gatherers that say different things.
#include "preflight/rules/chosen_verdict.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;
using rollcall::preflight::chosen_verdict;

namespace {

std::optional<PreflightVerdict> of(int present, bool passed = false) {
  PreflightVerdict verdict;
  verdict.members = 16;
  verdict.present = present;
  verdict.passed = passed;
  return verdict;
}

// The place of the one that counts; -1: none.
int chosen(std::vector<std::optional<PreflightVerdict>> all) {
  const PreflightVerdict* const best = chosen_verdict(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] && best == &*all[i]) return static_cast<int>(i);
  }
  return -1;
}

TEST_CASE("a verdict that says fail counts before a pass, and the one of most reports before others") {
  CHECK(chosen({std::nullopt, std::nullopt}) == -1);
  CHECK(chosen({std::nullopt, of(16, true), of(16, true)}) == 1);
  CHECK(chosen({of(16, true), of(3), std::nullopt}) == 1);
  CHECK(chosen({of(12), of(12), of(16)}) == 2);
  CHECK(chosen({of(12), of(12), of(11)}) == 0);
  CHECK(chosen({of(12), of(16, true), of(13)}) == 2);
}

}  // namespace
