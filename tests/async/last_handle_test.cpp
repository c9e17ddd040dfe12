// The last handle of a Runtime, dropped on any thread: its state is destroyed on its executor, as long as that exists.
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <future>
#include <thread>

#include "async/async_event.hpp"
#include "async/one_call.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// Records the thread on which it is destroyed.
class MortalTransport final : public HttpTransport {
 public:
  explicit MortalTransport(std::promise<std::thread::id>& end) : end_(end) {}
  ~MortalTransport() override { end_.set_value(std::this_thread::get_id()); }
  asio::awaitable<Result<HttpResponse>> send(const HttpRequest&, const ExchangeOptions&) override {
    co_await next_turn();
    ++answers_;
    HttpResponse response;
    response.status = 200;
    co_return response;
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest&, const ExchangeOptions&) override {
    co_return Failure(Errc::unimplemented, "no streams here");
  }
  void close() override {}

 private:
  std::promise<std::thread::id>& end_;
  int answers_ = 0;
};

RuntimeOptions options_of(std::promise<std::thread::id>& end) { return options_with(std::make_shared<MortalTransport>(end)); }

class LoneLoop {
 public:
  asio::io_context io{1};
  ~LoneLoop() { join(); }
  void join() {
    work_.reset();
    if (thread_.joinable()) thread_.join();
  }
  std::thread::id id() const { return thread_.get_id(); }
  /// Some turns later: everything that was ready has run, and released its objects.
  void settle() {
    for (int i = 0; i < 16; ++i) asio::post(io, asio::use_future).get();
  }

 private:
  asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io);
  std::thread thread_{[this] { io.run(); }};
};

}  // namespace

TEST_CASE("the last handle dropped on a thread of its own is destroyed on the executor") {
  std::promise<std::thread::id> end;
  LoneLoop loop;
  std::optional<Runtime> runtime(std::in_place, loop.io.get_executor(), options_of(end));
  CHECK(asio::co_spawn(loop.io, call_on(*runtime), asio::use_future).get().has_value());
  loop.settle();
  std::thread dropper([&] { runtime.reset(); });
  CHECK(end.get_future().get() == loop.id());
  dropper.join();
}

TEST_CASE("a call from another executor that holds the last handle gives it back to the Runtime's") {
  std::promise<std::thread::id> end;
  asio::io_context callers;
  LoneLoop loop;
  std::future<Result<HttpResponse>> answer;
  {
    const Runtime runtime(loop.io.get_executor(), options_of(end));
    answer = asio::co_spawn(callers, call_on(runtime), asio::use_future);
    callers.poll();
  }
  loop.settle();
  callers.run();
  CHECK(answer.get().has_value());
  CHECK(end.get_future().get() == loop.id());
}

TEST_CASE("the last handle on a pool of threads is destroyed within its strand") {
  std::promise<std::thread::id> end;
  asio::thread_pool pool(4);
  std::optional<Runtime> runtime(std::in_place, pool.get_executor(), options_of(end));
  CHECK(asio::co_spawn(asio::make_strand(pool), call_on(*runtime), asio::use_future).get().has_value());
  runtime.reset();
  CHECK(end.get_future().get() != std::this_thread::get_id());
  pool.join();
}

TEST_CASE("without a running loop the last handle is destroyed at once") {
  std::promise<std::thread::id> end;
  std::future<std::thread::id> ended = end.get_future();
  const auto is_over = [&ended] { return ended.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
  auto io = std::make_unique<asio::io_context>();
  std::optional<Runtime> runtime(std::in_place, io->get_executor(), options_of(end));
  SECTION("after run() has returned") {
    asio::co_spawn(*io, call_on(*runtime), asio::detached);
    io->run();
    runtime.reset();
    CHECK(is_over());
  }
  SECTION("after the end of the io_context") {
    io.reset();
    runtime.reset();
    CHECK(is_over());
  }
  SECTION("before the first run: with the io_context") {
    runtime.reset();
    io.reset();
    CHECK(is_over());
  }
  SECTION("by a call that never ran") {
    asio::co_spawn(*io, call_on(*runtime), asio::detached);
    runtime.reset();
    CHECK_FALSE(is_over());
    io.reset();
    CHECK(is_over());
  }
}
