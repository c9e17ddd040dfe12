// Finds a thousand TPUs and counts them by state. The cloud is a simulated one within this program: nothing to start, nothing to pay.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <cstdio>
#include <exception>
#include <map>

#include "rollcall/discover.hpp"
#include "rollcall/sim/cloud.hpp"
#include "rollcall/sim/memory.hpp"
#include "rollcall/time_source.hpp"

constexpr const char* cloud_text = R"({"project": "example-proj", "nodes": [
  {"name": "train-{i}", "count": 800, "accelerator_type": "v4-32"},
  {"name": "eval-{i}", "count": 150, "zone": "us-west4-a", "accelerator_type": "v5litepod-8"},
  {"name": "young-{i}", "count": 40, "state": "CREATING"},
  {"name": "spot-{i}", "count": 10, "zone": "us-east1-d", "state": "PREEMPTED"}],
  "unreachable_zones": ["us-east5-a"]})";

asio::awaitable<void> count_tpus(rollcall::Runtime& runtime) {
  rollcall::DiscoverOptions options;
  options.projects({"example-proj"}).kinds({rollcall::FoundKind::tpu});
  const auto stream = rollcall::discover(runtime, options);
  std::map<std::string, int> by_state;
  std::size_t workers = 0;
  for (;;) {
    const auto item = co_await stream->try_next();
    if (!item) {
      fmt::print("missing: {}\n", item.error().what());
      continue;
    }
    if (!*item) break;
    ++by_state[(*item)->state];
    workers += (*item)->addresses.size();
  }
  for (const auto& [state, count] : by_state) fmt::print("{:>5} {}\n", count, state);
  fmt::print("{:>5} workers with an address\n", workers);
}

int main() {
  asio::io_context io;
  const auto cloud = rollcall::sim::Cloud::parse(cloud_text).value();
  rollcall::RuntimeOptions options;
  options.time = rollcall::system_time();
  options.http = rollcall::sim::make_memory_transport(cloud, options.time, io.get_executor());
  options.credentials = rollcall::static_token(rollcall::Secret<std::string>("any"));
  rollcall::Runtime runtime(io.get_executor(), options);
  asio::co_spawn(io, count_tpus(runtime), [](std::exception_ptr failed) {
    if (failed) std::rethrow_exception(failed);
  });
  io.run();
  fmt::print("{:>5} requests\n", cloud->total());
}
