// A program on Boost.Asio that asks for a cluster. Rollcall's loop, of standalone Asio, has a thread to itself; answers are posted to the
// program's own loop. Run it against `rollcall sim examples/demo.json`.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <thread>

#include "rollcall/tpu_resolver.hpp"

int main() {
  asio::io_context loop;
  auto open = asio::make_work_guard(loop);
  std::thread thread([&loop] { loop.run(); });
  boost::asio::io_context program;
  auto waiting = boost::asio::make_work_guard(program);

  rollcall::Runtime runtime(loop.get_executor());
  const auto tpu = rollcall::make_tpu_resolver(runtime, rollcall::TpuOptions("trainer").zone("us-central2-b"));
  using Answer = rollcall::Result<rollcall::ClusterSpec>;
  asio::co_spawn(loop, tpu->try_cluster_spec(), [&](std::exception_ptr, Answer spec) {
    boost::asio::post(program, [&waiting, spec = std::move(spec)] {
      if (spec) fmt::print("{} workers\n", spec->num_tasks("worker").value());
      if (!spec) fmt::print(stderr, "{}\n", spec.error().message());
      waiting.reset();
    });
  });
  program.run();

  open.reset();
  thread.join();
}
