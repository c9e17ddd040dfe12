// Waits for a TPU that is still being created, while data is loaded on the same event loop; then "trains", writing a log.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>
#include <cstdio>
#include <fstream>
#include <memory>

#include "rollcall/tpu_resolver.hpp"
#include "rollcall/wait.hpp"

using namespace std::chrono_literals;

asio::awaitable<void> pause(std::chrono::milliseconds duration) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  timer.expires_after(duration);
  co_await timer.async_wait(asio::use_awaitable);
}

// Stands for the program's other work: it never has to wait for the cloud.
struct Loader {
  bool is_enough = false;
  int shards = 0;
};

asio::awaitable<void> load_data(std::shared_ptr<Loader> loader) {
  while (!loader->is_enough) {
    co_await pause(5ms);
    ++loader->shards;
  }
}

asio::awaitable<int> train(rollcall::Runtime runtime) {
  const auto tpu = rollcall::make_tpu_resolver(runtime, rollcall::TpuOptions("late").zone("us-central2-b"));
  const auto loader = std::make_shared<Loader>();
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::co_spawn(executor, load_data(loader), asio::detached);

  rollcall::WaitOptions options;
  options.timeout(2min).on_progress([](const rollcall::WaitProgress& progress) { fmt::print("{}\n", progress.line()); });
  const auto status = co_await rollcall::try_wait_until_ready(tpu, rollcall::usually_ready, std::move(options));
  loader->is_enough = true;
  if (!status) {
    fmt::print(stderr, "{}\n", status.error().message());
    co_return 1;
  }

  std::ofstream log("/dev/null");
  for (int step = 1; step <= 3; ++step) {
    co_await pause(5ms);
    log << "step " << step << "\n";
  }
  fmt::print("trained on {} workers; data was {} meanwhile\n", status->spec().num_tasks("worker").value(),
             loader->shards > 10 ? "loaded" : "not loaded");
  co_return 0;
}

int main() {
  asio::io_context io;
  auto code = asio::co_spawn(io, train(rollcall::Runtime(io.get_executor())), asio::use_future);
  io.run();
  return code.get();
}
