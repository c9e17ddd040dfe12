#include "async/spawn.hpp"

#include <catch2/catch.hpp>

#include "async/async_event.hpp"
#include "rollcall/testing/virtual_loop.hpp"

using namespace rollcall;
using rollcall::testing::VirtualLoop;

namespace {

asio::awaitable<Result<int>> answer(Result<int> what) { co_return what; }

asio::awaitable<Result<int>> throwing() {
  throw std::runtime_error("odd");
  co_return 0;
}

asio::awaitable<Result<int>> endless(AsyncEvent& event) {
  co_await event.wait();
  co_await next_turn();  // throws: the wait was cancelled
  co_return 0;
}

class Spawned {
 public:
  explicit Spawned(VirtualLoop& loop) : loop_(loop) {}
  void start(asio::awaitable<Result<int>> work) {
    spawn_result(loop_.io.get_executor(), std::move(work), signal.slot(), "the work", [this](Result<int> result) { ended = result; });
    loop_.poll();
  }
  asio::cancellation_signal signal;
  std::optional<Result<int>> ended;

 private:
  VirtualLoop& loop_;
};

}  // namespace

TEST_CASE("spawned work passes on its value, its failure, or its exception") {
  VirtualLoop loop;
  Spawned spawned(loop);
  spawned.start(answer(4));
  CHECK(spawned.ended->value() == 4);
  spawned.start(answer(Failure(Errc::not_found, "nothing")));
  CHECK(spawned.ended->error().code() == Errc::not_found);
  spawned.start(throwing());
  CHECK(spawned.ended->error().code() == Errc::failed_precondition);
  CHECK(spawned.ended->error().what() == "the work: odd");
}

TEST_CASE("the signal of spawned work ends it") {
  VirtualLoop loop;
  Spawned spawned(loop);
  AsyncEvent event;
  spawned.start(endless(event));
  REQUIRE_FALSE(spawned.ended);
  spawned.signal.emit(asio::cancellation_type::terminal);
  loop.poll();
  REQUIRE(spawned.ended);
  CHECK(spawned.ended->error().code() == Errc::cancelled);
}
