// The table that a waiting user sees.
#include "command/show/wait_table.hpp"

#include <catch2/catch.hpp>

#include "command/terminal/columns.hpp"
#include "command/terminal/safe_text.hpp"

using namespace rollcall;
using namespace rollcall::command;
using namespace std::chrono_literals;

namespace {

class TableStory {
 public:
  WaitProgress progress;
  TableStory(int ready, int total) {
    progress.ready = ready;
    progress.total = total;
    progress.started = SteadyTime(100s);
  }
  TableStory& add(int first, int last, std::string why, Duration since, MemberState state = MemberState::waiting,
                  std::string address = {}) {
    for (int i = first; i <= last; ++i) {
      MissingMember& missing = progress.missing.emplace_back();
      missing.member = Member("worker", i);
      missing.member.state = Condition(state, why);
      missing.member.address = address;
      missing.why = why;
      missing.since = SteadyTime(since);
    }
    return *this;
  }
  std::vector<std::string> table(std::size_t width = 79, std::size_t height = 20, bool with_colour = false) const {
    return wait_table(WaitSubject("tpu:mid", 30min), progress, SteadyTime(105500ms), width, height, with_colour);
  }
};

}  // namespace

TEST_CASE("a table names what is waited for and until when, and puts members of one state together") {
  const std::vector<std::string> lines = TableStory(20, 512)
                                             .add(0, 490, "CREATING", 100s)
                                             .add(500, 500, "connection refused", 103500ms, MemberState::ready, "10.0.0.5:8470")
                                             .table();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "tpu:mid 20/512 ready · 5.5 s of 30 m");
  CHECK(lines[1] == "  worker 0-490                CREATING            491 members  5.5 s");
  CHECK(lines[2] == "  worker 500 (10.0.0.5:8470)  connection refused               2.0 s");
}

TEST_CASE("the members missing longest come first, and those that do not fit are counted") {
  TableStory story(0, 30);
  for (int i = 0; i < 30; ++i) story.add(i, i, "state " + std::to_string(i), 105s - i * 100ms);
  const std::vector<std::string> lines = story.table(79, 5);
  REQUIRE(lines.size() == 5);
  CHECK(lines[1].starts_with("  worker 29  state 29"));
  CHECK(lines[3].starts_with("  worker 27  state 27"));
  CHECK(lines[4] == "  and 27 more");
  CHECK(story.table(79, 1).size() == 1);
  CHECK(story.table(79, 0).size() == 1);
}

TEST_CASE("a narrow terminal keeps members and reasons, and cuts with an ellipsis") {
  TableStory story(13, 16);
  story.add(3, 3, "connection refused", 100s, MemberState::ready, "127.90.0.12:8470").add(7, 9, "CREATING", 100s);
  CHECK(story.table(60)[1] == "  worker 3 (127.90.0.12:8470)  connection refused  5.5 s");
  CHECK(story.table(60)[2] == "  worker 7-9                   CREATING            5.5 s");
  CHECK(story.table(50)[1] == "  worker 3 (127.90.0.12:8470)  connection refused");
  CHECK(story.table(36)[1] == "  worker 3 (127…  connection refused");
  CHECK(story.table(36)[0] == "tpu:mid 13/16 ready · 5.5 s of 30 m");
  CHECK(story.table(20)[0] == "tpu:mid 13/16 ready…");
  CHECK(story.table(20)[1] == "  worker 3 …  conne…");
  for (std::size_t width = 1; width < 90; ++width) {
    for (const std::string& line : story.table(width)) {
      CAPTURE(width, line);
      CHECK(columns_of(line) <= width);
    }
  }
}

TEST_CASE("the cluster's state and the service's trouble are shown") {
  TableStory story(0, 4);
  story.progress.status.state = Condition(MemberState::waiting, "ACCEPTED");
  story.progress.trouble = "HTTP 503";
  CHECK(story.table()[0] == "tpu:mid 0/4 ready · 5.5 s of 30 m · ACCEPTED · cannot ask: HTTP 503");
}

TEST_CASE("states have colours where they are welcome") {
  TableStory story(1, 3);
  story.add(0, 0, "CREATING", 100s).add(1, 1, "PREEMPTED", 100s, MemberState::lost);
  const std::vector<std::string> lines = story.table(79, 20, true);
  CHECK(lines[0] == "\x1b[1mtpu:mid\x1b[0m \x1b[33m1/3 ready\x1b[0m · 5.5 s of 30 m");
  CHECK(lines[1] == "  worker 0  \x1b[33mCREATING \x1b[0m\x1b[2m  5.5 s\x1b[0m");
  CHECK(lines[2] == "  worker 1  \x1b[1;31mPREEMPTED\x1b[0m\x1b[2m  5.5 s\x1b[0m");
  for (const std::string& line : lines) CHECK(safe_text(line, true) == line);
  CHECK(TableStory(3, 3).table(79, 20, true)[0] == "\x1b[1mtpu:mid\x1b[0m \x1b[32m3/3 ready\x1b[0m · 5.5 s of 30 m");
}
