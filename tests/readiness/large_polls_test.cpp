// The judgement of a large cluster does not block the event loop, and can be cancelled midway.
#include <asio/bind_cancellation_slot.hpp>
#include <asio/detached.hpp>
#include <catch2/catch.hpp>

#include "async/turns.hpp"
#include "readiness/slow_start.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/wait.hpp"
#include "rollcall/watch.hpp"
#include "support/cloud_loop.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

// Another coroutine that runs in every turn of the event loop, until `is_over`.
class Bystander {
 public:
  bool is_over = false;
  std::size_t turns = 0;
  asio::awaitable<Result<void>> run() {
    constexpr std::size_t enough = 100'000;
    for (; !is_over && turns < enough; ++turns) co_await next_turn();
    co_return Result<void>();
  }
};

// The number of turns of a bystander while the next change is computed.
std::size_t turns_beside(VirtualLoop& t, ClusterWatch& following) {
  Bystander other;
  const auto on_end = [&other](std::exception_ptr, Result<ClusterChange> change) { other.is_over = change.has_value(); };
  asio::co_spawn(t.io, following.try_next(), on_end);
  t.start(other.run());
  CHECK(other.is_over);
  return other.turns;
}

}  // namespace

TEST_CASE("the judgement of many members lets other coroutines run") {
  constexpr int members = 20'000;
  constexpr std::size_t pieces = members / steps_a_turn;
  CloudLoop t("{}");
  SECTION("waited for") {
    Bystander other;
    WaitOptions options;
    options.timeout(10s).on_progress([&other](const WaitProgress&) { other.is_over = true; });
    const auto resolver = std::make_shared<SlowStart>(t.runtime, members, 0);
    asio::co_spawn(t.io, try_wait_until_ready(resolver, usually_ready, std::move(options)), asio::detached);
    t.start(other.run());
    CHECK(other.is_over);
    CHECK(other.turns >= pieces);
  }
  SECTION("watched") {
    const auto following = watch(std::make_shared<SlowStart>(t.runtime, members, 0), WatchOptions().machine_notices(false));
    CHECK(turns_beside(t, *following) >= pieces);
  }
  SECTION("merged") {
    std::vector<std::shared_ptr<ClusterResolver>> children;
    for (int i = 0; i < 2; ++i) children.push_back(std::make_shared<SlowStart>(t.runtime, members / 2, 0));
    const auto following = watch(make_union_resolver(t.runtime, std::move(children)), WatchOptions().machine_notices(false));
    CHECK(turns_beside(t, *following) >= 2 * pieces);
  }
}

TEST_CASE("a wait that is cancelled during a judgement ends at once, and one whose time is up reports its progress") {
  CloudLoop t("{}");
  const auto resolver = std::make_shared<SlowStart>(t.runtime, 20'000, 1);
  auto waiting = t.start(try_wait_until_ready(resolver, usually_ready, WaitOptions().timeout(1min)));
  REQUIRE_FALSE(waiting.done());
  t.time->advance(1s);  // the second status
  t.io.restart();
  for (int i = 0; i < 10; ++i) t.io.poll_one();
  waiting.cancel();
  for (int i = 0; i < 20 && !waiting.done(); ++i) t.io.poll_one();
  CHECK(waiting.done());
  t.poll();
  REQUIRE(waiting.done());
  CHECK(waiting.value().error().code() == Errc::cancelled);
}

TEST_CASE("a next() that is cancelled during a comparison loses no change") {
  CloudLoop t("{}");
  const auto following = watch(std::make_shared<SlowStart>(t.runtime, 20'000, 0), WatchOptions().machine_notices(false));
  t.poll();
  t.io.restart();
  bool is_cancelled = false;
  {
    asio::cancellation_signal signal;
    asio::co_spawn(t.io, following->try_next(),
                   asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr, Result<ClusterChange> change) {
                     is_cancelled = change.has_error() && change.error().code() == Errc::cancelled;
                   }));
    for (int i = 0; i < 10; ++i) t.io.poll_one();
    signal.emit(asio::cancellation_type::terminal);
    t.poll();
  }
  CHECK(is_cancelled);
  for (int i = 0; i < 20'000; ++i) {
    const Result<ClusterChange> change = t.run(following->try_next());
    REQUIRE(change);
    REQUIRE(change->kind == ChangeKind::member_joined);
  }
}
