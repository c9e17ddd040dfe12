// Splitting pieces into lines.
#include "command/session/wire/line_reader.hpp"

#include <catch2/catch.hpp>
#include <vector>

using rollcall::serve::LineReader;

namespace {

// All lines of `text`, fed in pieces of `step` bytes; `<long>` for one over eight bytes.
std::vector<std::string> lines_in(std::string_view text, std::size_t step) {
  LineReader reader(8);
  std::vector<std::string> lines;
  const auto take = [&] {
    for (auto line = reader.next(); line; line = reader.next()) lines.push_back(line->is_too_long ? "<long>" : std::string(line->text));
  };
  for (std::size_t at = 0; at < text.size(); at += step) {
    reader.feed(text.substr(at, step));
    take();
  }
  reader.finish();
  take();
  return lines;
}

}  // namespace

TEST_CASE("lines are the same for all sizes of pieces") {
  using Lines = std::vector<std::string>;
  for (const std::size_t step : {1, 2, 3, 7, 64}) {
    INFO(step);
    CHECK(lines_in("", step).empty());
    CHECK(lines_in("ab\n\ncd\n", step) == Lines{"ab", "", "cd"});
    CHECK(lines_in("ab\ncd", step) == Lines{"ab", "cd"});
    CHECK(lines_in("12345678\n123456789\nab\n", step) == Lines{"12345678", "<long>", "ab"});
    CHECK(lines_in("a\n" + std::string(50, 'x') + "\nb\n" + std::string(9, 'y'), step) == Lines{"a", "<long>", "b", "<long>"});
    CHECK(lines_in("\n\n" + std::string(9, 'y') + "\n", step) == Lines{"", "", "<long>"});
  }
}
