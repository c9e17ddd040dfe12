// Executors that run several handlers at a time: a Runtime is serial on them nevertheless.
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <asio/system_executor.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>
#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <vector>

#include "async/async_event.hpp"
#include "async/loop_life.hpp"
#include "async/one_call.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

// Detects concurrent entry by two threads; waits now and then, as a network does.
class WatchfulTransport final : public HttpTransport {
 public:
  std::atomic<int> inside = 0;
  std::atomic<int> max_inside = 0;
  std::atomic<int> calls = 0;

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest&, const ExchangeOptions&) override {
    for (int i = 0; i < 3; ++i) {
      max_inside = std::max(max_inside.load(), ++inside);
      for (int spin = 0; spin < 1000; ++spin) calls.load();
      --inside;
      co_await next_turn();
    }
    ++calls;
    HttpResponse response;
    response.status = 200;
    co_return response;
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest&, const ExchangeOptions&) override {
    co_return Failure(Errc::unimplemented, "no streams here");
  }
  void close() override {}
};

template <class Executor>
void ask_from_all_threads(const Runtime& runtime, Executor callers, WatchfulTransport& transport) {
  std::vector<std::future<Result<HttpResponse>>> answers;
  for (int i = 0; i < 64; ++i) answers.push_back(asio::co_spawn(asio::make_strand(callers), call_on(runtime), asio::use_future));
  for (auto& answer : answers) CHECK(answer.get().has_value());
  CHECK(transport.max_inside == 1);
  CHECK(transport.calls == 64);
}

template <class Executor>
bool is_left_alone(const Executor& executor) {
  const asio::any_io_executor given = executor;
  return made_serial(given) == given;
}

}  // namespace

TEST_CASE("a Runtime on a pool of threads runs one handler at a time") {
  asio::thread_pool pool(4);
  const auto transport = std::make_shared<WatchfulTransport>();
  SECTION("the pool's executor") {
    ask_from_all_threads(Runtime(pool.get_executor(), options_with(transport)), pool.get_executor(), *transport);
  }
  SECTION("one with other properties") {
    const auto never = asio::require(pool.get_executor(), asio::execution::blocking.never);
    ask_from_all_threads(Runtime(never, options_with(transport)), pool.get_executor(), *transport);
  }
  SECTION("an executor whose kind is not seen") {
    const asio::any_io_executor any = pool.get_executor();
    ask_from_all_threads(Runtime(any, options_with(transport)), pool.get_executor(), *transport);
  }
  SECTION("the system's executor") {
    // The callers' too: its threads may still hold the executor of a finished call when the pool has gone.
    ask_from_all_threads(Runtime(asio::system_executor(), options_with(transport)), asio::system_executor(), *transport);
  }
  SECTION("a strand of the pool") {
    ask_from_all_threads(Runtime(asio::make_strand(pool), options_with(transport)), pool.get_executor(), *transport);
  }
  pool.join();
}

TEST_CASE("Runtimes on strands of one pool of threads do not disturb one another") {
  asio::thread_pool pool(4);
  std::vector<std::future<Result<HttpResponse>>> answers;
  for (int i = 0; i < 16; ++i) {
    const Runtime runtime(pool.get_executor(), options_with(std::make_shared<WatchfulTransport>()));
    for (int j = 0; j < 8; ++j) answers.push_back(asio::co_spawn(asio::make_strand(pool), call_on(runtime), asio::use_future));
  }
  for (auto& answer : answers) CHECK(answer.get().has_value());
  pool.join();
}

TEST_CASE("a serial executor gets no strand") {
  asio::io_context io;
  asio::thread_pool pool(1);
  CHECK(is_left_alone(io.get_executor()));
  CHECK(is_left_alone(asio::make_strand(io)));
  CHECK(is_left_alone(asio::make_strand(pool)));
  CHECK(is_left_alone(asio::make_strand(asio::any_io_executor(pool.get_executor()))));
  CHECK(is_left_alone(asio::any_io_executor()));
  CHECK_FALSE(is_left_alone(pool.get_executor()));
  CHECK_FALSE(is_left_alone(asio::system_executor()));
  const asio::any_io_executor once = made_serial(pool.get_executor());
  CHECK(made_serial(once) == once);
}
