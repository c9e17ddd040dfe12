// Answers that arrive together are read a few per turn of the loop.
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <catch2/catch.hpp>

#include "net/http_core.hpp"
#include "rollcall/time_source.hpp"

using namespace rollcall;

TEST_CASE("so many answers in a turn, and as many again in the next") {
  asio::io_context io(1);
  const auto timers = std::make_shared<TimerQueue>(system_time(), io.get_executor());
  const auto core = std::make_shared<HttpCore>(io.get_executor(), timers, NetworkOptions());
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < HttpCore::answers_per_turn; ++i) CHECK(core->admits_answer());
    CHECK_FALSE(core->admits_answer());
    CHECK_FALSE(core->admits_answer());
    io.restart();
    io.poll();
  }
  io.restart();
  CHECK(io.poll() == 0);  // nothing of it is left
}
