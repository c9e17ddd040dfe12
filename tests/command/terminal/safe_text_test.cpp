#include "command/terminal/safe_text.hpp"

#include <catch2/catch.hpp>

#include "base/text.hpp"
#include "command/show/followed_text.hpp"
#include "command/show/wait_table.hpp"
#include "command/terminal/columns.hpp"

using namespace rollcall;
using namespace rollcall::command;
using namespace std::chrono_literals;

TEST_CASE("text goes out with line ends and our own styles, and nothing else that a terminal obeys") {
  CHECK(safe_text("a\nb\n", false) == "a\nb\n");
  CHECK(safe_text("\x1b[1mworker\x1b[0m \x1b[2m0\x1b[0m\n", true) == "\x1b[1mworker\x1b[0m \x1b[2m0\x1b[0m\n");
  CHECK(safe_text("\x1b[1mworker\x1b[0m\n", false) == "\\x1b[1mworker\\x1b[0m\n");
  CHECK(safe_text("\x1b[32mready\x1b[0m\n", true) == "\x1b[32mready\x1b[0m\n");
  CHECK(safe_text("\x1b[35mred\x1b[2J\x1b]0;t\x07\r\n", true) == "\\x1b[35mred\\x1b[2J\\x1b]0;t\\x07\\x0d\n");
  CHECK(safe_text("\x1b", true) == "\\x1b");
  CHECK(safe_text("\xc2\x9b"
                  "1m\xe2\x80\xae\x9b\xff",
                  true) == "\\u{9b}1m\\u{202e}\\x9b\\xff");
  CHECK(safe_text("3 · gr\xc3\xbc\xc3\x9f\n", true) == "3 · gr\xc3\xbc\xc3\x9f\n");
  CHECK(safe_text("", true).empty());
}

TEST_CASE("what is plain has nothing to escape") {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    if (is_plain_text(text)) CHECK(safe_text(text, false) == text);
  }
  CHECK(is_plain_text("a b\n~"));
  CHECK_FALSE(is_plain_text("a\tb"));
  CHECK_FALSE(is_plain_text("\x7f"));
}

TEST_CASE("a hook's variables are one line each, and no options") {
  ClusterChange change(ChangeKind::member_joined, {});
  change.text = "a\nb\x1b[2J";
  change.member = Member("wor\nker", 0);
  change.member.address = "-oProxyCommand=touch x";
  change.member.name = "train/w-0";
  ClusterStatus status;
  status.members.push_back(change.member);
  const HookVariables variables = change_variables(change, status);
  for (const auto& [name, value] : variables) {
    CAPTURE(name);
    CHECK(printable_line(value) == value);
    CHECK_FALSE(value.starts_with('-'));
  }
  CHECK(variables[3] == std::pair<std::string, std::string>("ROLLCALL_JOB", ""));
  CHECK(variables.back() == std::pair<std::string, std::string>("ROLLCALL_MEMBER", "train/w-0"));
  CHECK(change_line(change, {}).ends_with(" member_joined a\\x0ab\\x1b[2J"));
}

TEST_CASE("a table of members keeps its lines with any content") {
  WaitProgress progress;
  progress.total = 1;
  MissingMember& missing = progress.missing.emplace_back();
  missing.member = Member("w\n", 0);
  missing.why = "\x1b[2J\n\xe2\x80\xae";
  for (const std::string& line : wait_table(WaitSubject("t\n\x1b[2J", 1s), progress, {}, 40, 10, false)) {
    CHECK(printable_line(line) == line);
    CHECK(columns_of(line) <= 40);
  }
}
