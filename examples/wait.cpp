// Waits for a cluster, and prints its addresses, or the machines that are missing and why. Run it against `rollcall sim
// examples/demo.json`, or with a target of your own.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/use_future.hpp>
#include <cstdio>

#include "rollcall/resolver.hpp"
#include "rollcall/wait.hpp"

asio::awaitable<int> launch(rollcall::Runtime runtime) {
  const auto cluster = rollcall::make_resolver(runtime, "tpu:late").value();  // or "kubernetes:train/jobset/trainer"
  const auto status = co_await rollcall::try_wait_until_ready(cluster);  // 30 min at most; WaitOptions show progress
  if (!status) {
    fmt::print(stderr, "{}\n", status.error().message());  // names each missing machine, and why it is missing
    co_return 1;
  }
  fmt::print("{}\n", status->spec().to_json());
  co_return 0;
}

int main() {
  asio::io_context io;
  auto code = asio::co_spawn(io, launch(rollcall::Runtime(io.get_executor())), asio::use_future);
  io.run();
  return code.get();
}
