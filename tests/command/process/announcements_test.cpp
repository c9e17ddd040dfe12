// News that arrive faster than a program can act on them.
#include <asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <vector>

#include "command/process/supervisor.hpp"

using namespace rollcall::command;

TEST_CASE("a flood of news is reported twice: the first at once, the last when a second is over") {
  asio::io_context io(1);
  std::vector<std::string> reported;
  Announcements announcements(io.get_executor(), [&reported](const std::string& why) { reported.push_back(why); });
  for (int i = 0; i < 25000; ++i) announcements.add(NewsKind::maintenance, "news " + std::to_string(i));
  CHECK(reported == std::vector<std::string>{"news 0"});
  announcements.add(NewsKind::preemption, "preempted");  // is not delayed by other news
  CHECK(reported.back() == "preempted");
  announcements.add(NewsKind::preemption, "preempted again");
  io.run();
  CHECK(reported == std::vector<std::string>{"news 0", "preempted", "news 24999 (the last of 24999 announcements)", "preempted again"});
}
