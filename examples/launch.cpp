// Finds the workers of a TPU and counts its devices, with error handling. Run it against `rollcall sim examples/demo.json`, or on a cloud
// VM.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "rollcall/tpu_resolver.hpp"

asio::awaitable<void> launch(rollcall::Runtime& runtime) {
  const auto tpu = rollcall::make_tpu_resolver(runtime, rollcall::TpuOptions("trainer").zone("us-central2-b"));
  const rollcall::ClusterSpec spec = co_await tpu->cluster_spec();
  const rollcall::AcceleratorCounts cores = co_await tpu->num_accelerators();
  fmt::print("{} workers, {} TPU devices each\n", spec.num_tasks("worker").value(), cores.at("TPU"));
}

int main() {
  asio::io_context io;
  rollcall::Runtime runtime(io.get_executor());
  int code = 0;
  asio::co_spawn(io, launch(runtime), [&code](std::exception_ptr failed) {
    if (!failed) return;
    try {
      std::rethrow_exception(failed);
    } catch (const rollcall::ResolveError& error) {
      fmt::print(stderr, "{}\n", error.what());
    } catch (const std::exception& error) {
      fmt::print(stderr, "unexpected: {}\n", error.what());
    }
    code = 1;
  });
  io.run();
  return code;
}
