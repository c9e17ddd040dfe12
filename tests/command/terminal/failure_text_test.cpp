// Failures as text for a terminal, and text that fits a width.
#include "command/terminal/failure_text.hpp"

#include <catch2/catch.hpp>

#include "command/terminal/columns.hpp"
#include "command/terminal/safe_text.hpp"
#include "command/terminal/styled_line.hpp"

using namespace rollcall;
using namespace rollcall::command;

TEST_CASE("a failure has a line each for the cause, the request and the hint") {
  const Failure failure = Failure(Errc::not_found, "TPU 'trainr': HTTP 404 NOT_FOUND")
                              .with_target("https://tpu.googleapis.com/v2/nodes/trainr")
                              .with_attempts(1)
                              .with_phase(Phase::response)
                              .with_hint("check its name");
  CHECK(failure_text(failure, 100, false) ==
        "rollcall: TPU 'trainr': HTTP 404 NOT_FOUND\n"
        "   asked: https://tpu.googleapis.com/v2/nodes/trainr (1 attempt; phase response)\n"
        "    hint: check its name\n");
  CHECK(failure_text(failure, 40, false) ==
        "rollcall: TPU 'trainr': HTTP 404\n"
        "          NOT_FOUND\n"
        "   asked: https://tpu.googleapis.com/v2/nodes/trainr\n"
        "          (1 attempt; phase response)\n"
        "    hint: check its name\n");
  CHECK(failure_text(failure, 100, true).starts_with("\x1b[1;31mrollcall:\x1b[0m TPU"));
  CHECK(failure_text(failure, 100, true).find("   \x1b[1masked:\x1b[0m https://") != std::string::npos);
  // Nothing is repeated, and unknown parts are left out.
  CHECK(failure_text(Failure(Errc::not_found, "no file 'a/b'").with_target("a/b"), 100, false) == "rollcall: no file 'a/b'\n");
  CHECK(failure_text(Failure(Errc::not_found, "not there").with_target("a/b"), 100, false) == "rollcall: not there\n    file: a/b\n");
  CHECK(failure_text(Failure(Errc::unavailable, "late").with_attempts(2), 100, false) == "rollcall: late (2 attempts)\n");
}

TEST_CASE("foreign text in a failure does nothing to a terminal") {
  const Failure failure = Failure(Errc::not_found, "a\x1b[2J\nb").with_target("http://h/\x1b[2J").with_hint("\xe2\x80\xaeh\n");
  const std::string text = failure_text(failure, 10, false);
  CHECK(safe_text(text, false) == text);
  CHECK(text.find("a\\x1b[2J\\x0ab") != std::string::npos);
}

TEST_CASE("what is cut shows it by an ellipsis, and no character is cut in two") {
  CHECK(cut_line("connection refused", 10) == "connectio…");
  CHECK(cut_line("grün", 4) == "grün");
  CHECK(cut_line("grüne", 4) == "grü…");
  CHECK(cut_line("ab", 0).empty());
  CHECK(cut_line("ab", 1) == "…");
  CHECK(in_column("grün", 6) == "grün  ");
  CHECK(in_column("grünes", 5) == "grün…");
  CHECK(columns_of("3 · 4") == 5);
  StyledLine line;
  line.add("abc", bold_style);
  line.add("");
  line.add(" def");
  CHECK(line.text(7, false) == "abc def");
  CHECK(line.text(6, false) == "abc d…");
  CHECK(line.text(3, false) == "ab…");
  CHECK(line.text(3, true) == "\x1b[1mab…\x1b[0m");
  CHECK(line.text(0, true).empty());
}
