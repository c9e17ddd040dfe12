// The ways in which calls end: in time, with a failure as a value, or with an exception; the Runtime is on a pool of threads.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>
#include <cstdio>

#include "rollcall/resolver.hpp"
#include "rollcall/tpu_resolver.hpp"

using namespace std::chrono_literals;

// A failure as a value: its code is the kind of failure, its message contains the remedy.
asio::awaitable<int> count_workers(std::shared_ptr<rollcall::ClusterResolver> resolver) {
  rollcall::CallOptions options;
  options.timeout(5s);
  const rollcall::Result<rollcall::ClusterSpec> spec = co_await resolver->try_cluster_spec(options);
  if (spec) co_return spec->num_tasks("worker").value();
  if (spec.error().code() == rollcall::Errc::not_found) co_return 0;
  fmt::print(stderr, "{}\n", spec.error().message());
  co_return -1;
}

// The same as an exception.
asio::awaitable<std::string> first_worker(std::shared_ptr<rollcall::ClusterResolver> resolver) {
  const rollcall::ClusterSpec spec = co_await resolver->cluster_spec();
  co_return spec.task_address("worker", 0).value();
}

int main() {
  asio::thread_pool pool(2);
  rollcall::Runtime runtime(pool.get_executor());
  const auto trainer = rollcall::make_tpu_resolver(runtime, rollcall::TpuOptions("trainer").zone("us-central2-b"));
  const auto missing = rollcall::make_tpu_resolver(runtime, rollcall::TpuOptions("missing").zone("us-central2-b"));

  fmt::print("trainer has {} workers, ", asio::co_spawn(pool, count_workers(trainer), asio::use_future).get());
  fmt::print("missing has {}\n", asio::co_spawn(pool, count_workers(missing), asio::use_future).get());
  try {
    asio::co_spawn(pool, first_worker(missing), asio::use_future).get();
  } catch (const rollcall::ResolveError& error) {
    fmt::print("missing: {}\n", rollcall::to_string(error.failure().code()));
  }
  return 0;
}
