// Tests a program that waits, in virtual time: the cloud is in memory, and twenty minutes pass as soon as no other work is left.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "rollcall/sim/memory.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/wait.hpp"

using namespace std::chrono_literals;

// The tested function: the number of workers of a TPU when it is ready, 0 when it is not ready within half an hour.
asio::awaitable<int> workers_of(rollcall::Runtime runtime) {
  const auto tpu = rollcall::make_tpu_resolver(runtime, rollcall::TpuOptions("slow").project("p").zone("us-central2-b"));
  rollcall::WaitOptions options;
  options.timeout(30min);
  const auto status = co_await rollcall::try_wait_until_ready(tpu, rollcall::usually_ready, std::move(options));
  co_return status ? status->spec().num_tasks("worker").value() : 0;
}

int main() {
  rollcall::testing::VirtualLoop loop;
  const auto cloud =
      rollcall::sim::Cloud::parse(R"({"project": "p", "nodes": [{"name": "slow", "accelerator_type": "v4-32", "ready_after": "20m"}]})",
                                  "cloud.json")
          .value();
  rollcall::RuntimeOptions options;
  options.http = rollcall::sim::make_memory_transport(cloud, loop.time, loop.io.get_executor());
  options.time = loop.time;
  options.environment = rollcall::fixed_environment({});
  options.files = rollcall::fixed_files({});
  options.credentials = rollcall::static_token(rollcall::Secret<std::string>("test-token"));
  cloud->start(loop.time->now());

  const double before = loop.seconds();
  const int workers = loop.run(workers_of(rollcall::Runtime(loop.io.get_executor(), options)));
  const bool took_twenty_minutes = loop.seconds() - before >= 1200 && loop.seconds() - before < 1300;
  fmt::print("{} workers; {}\n", workers, took_twenty_minutes ? "it took twenty minutes of the loop's time" : "it took another time");
  return workers == 4 && took_twenty_minutes ? 0 : 1;
}
