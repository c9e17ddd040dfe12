// Rows of results as text, in runs of equal letters.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "rollcall/preflight_evidence.hpp"

namespace rollcall {
namespace {

constexpr std::string_view result_letters = ".ortnsmplkOIux";

}  // namespace

std::string_view to_string(ProbeResult result) noexcept {
  constexpr std::array<std::string_view, result_letters.size()> words = {
      "untested",      "ok",         "refused",      "timed_out", "no_route", "silent",       "other_member",
      "other_program", "other_list", "other_secret", "large_out", "large_in", "unknown_name", "shortage"};
  return words[static_cast<std::size_t>(result)];
}

std::string ProbeRow::write(const std::vector<ProbeResult>& results) {
  std::string row;
  for (std::size_t i = 0; i < results.size();) {
    std::size_t end = i + 1;
    while (end < results.size() && results[end] == results[i]) ++end;
    const char letter = result_letters[static_cast<std::size_t>(results[i])];
    const std::string count = std::to_string(end - i);
    if (count.size() + 1 < end - i) {
      row += count + letter;
    } else {
      row.append(end - i, letter);
    }
    i = end;
  }
  return row;
}

Result<std::vector<ProbeResult>> ProbeRow::read(std::string_view row, std::size_t members) {
  const auto refused = [](std::string_view why) { return Failure(Errc::malformed_response, fmt::format("a row of results {}", why)); };
  std::vector<ProbeResult> results;
  results.reserve(members);
  std::size_t count = 0;
  bool has_count = false;
  for (const char c : row) {
    if (is_digit(c)) {
      has_count = true;
      count = count * 10 + static_cast<std::size_t>(c - '0');
      if (count > members) return refused(fmt::format("has more than {} results", members));
      continue;
    }
    const std::size_t at = result_letters.find(c);
    if (at == std::string_view::npos) return refused(fmt::format("has {}, which is no result", quoted(std::string(1, c), 8)));
    if (has_count && count == 0) return refused("has a run of none");
    const std::size_t run = has_count ? count : 1;
    if (run > members - results.size()) return refused(fmt::format("has more than {} results", members));
    results.insert(results.end(), run, static_cast<ProbeResult>(at));
    count = 0;
    has_count = false;
  }
  if (has_count) return refused("ends with a number");
  if (results.size() != members) return refused(fmt::format("has {} results, not {}", results.size(), members));
  return results;
}

}  // namespace rollcall
