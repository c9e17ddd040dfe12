// Rollcall's whole cluster_spec() against the floor, a raw Asio client, on one loopback server: CPU, wall, memory.
#include <asio/io_context.hpp>

#include "count_allocations.hpp"
#include "measure.hpp"
#include "node_server.hpp"
#include "raw_client.hpp"
#include "resolve_load.hpp"

namespace {

using namespace bench;

void expect(int got, int wanted) {
  if (got == wanted) return;
  std::printf("FAILED: %d of %d resolved\n", got, wanted);
  std::exit(1);
}

// CPU of one resolve, in alternating rounds, so that a slow phase of the machine affects both.
bool compare_cpu() {
  NodeServer server(std::chrono::milliseconds(0));
  const std::string endpoint = "http://127.0.0.1:" + std::to_string(server.port()) + "/";
  asio::io_context io(1);
  RawClient raw(io, server.port(), 64);
  rollcall::Runtime runtime = make_runtime(io, 64);
  constexpr int rounds = 11;
  constexpr int count = 5000;
  expect(raw.run(count), count);
  expect(resolve(io, runtime, endpoint, count, 64), count);
  std::vector<double> raw_us, our_us, ratios;
  std::uint64_t ours = 0, raws = 0;
  for (int round = 0; round < rounds; ++round) {
    std::uint64_t before = allocations;
    double start = cpu_seconds();
    expect(raw.run(count), count);
    raw_us.push_back((cpu_seconds() - start) / count * 1e6);
    raws += allocations - before;
    before = allocations;
    start = cpu_seconds();
    expect(resolve(io, runtime, endpoint, count, 64), count);
    our_us.push_back((cpu_seconds() - start) / count * 1e6);
    ours += allocations - before;
    ratios.push_back(our_us.back() / raw_us.back());
  }
  std::printf("cpu per resolve, 64 in flight   raw Asio %6.2f us   rollcall %6.2f us   ratio %.2f (median of %d pairs)\n", median(raw_us),
              median(our_us), median(ratios), rounds);
  std::printf("allocations per resolve         raw Asio %6.1f      rollcall %6.1f\n", static_cast<double>(raws) / (rounds * count),
              static_cast<double>(ours) / (rounds * count));
  const std::uint64_t asked = server.stop();
  const std::uint64_t wanted = 2 * (rounds + 1) * count;
  std::printf("the server counted %llu requests for %llu resolves\n", static_cast<unsigned long long>(asked),
              static_cast<unsigned long long>(wanted));
  return asked == wanted;
}

void measure_wall(int delay_ms, int in_flight) {
  NodeServer server{std::chrono::milliseconds(delay_ms)};
  const std::string endpoint = "http://127.0.0.1:" + std::to_string(server.port()) + "/";
  asio::io_context io(1);
  rollcall::Runtime runtime = make_runtime(io, static_cast<std::size_t>(in_flight));
  constexpr int count = 1000;
  const long memory = resident_kb();
  const double start = wall_seconds();
  expect(resolve(io, runtime, endpoint, count, in_flight), count);
  const double cold = wall_seconds() - start;
  const long memory_after = resident_kb();
  const double again = wall_seconds();
  expect(resolve(io, runtime, endpoint, count, in_flight), count);
  const double warm = wall_seconds() - again;
  std::printf(
      "1,000 nodes, %2d ms away, %4d in flight: %7.1f ms cold, %7.1f ms on warm connections, %+ld kB resident; server counted %llu of "
      "2000\n",
      delay_ms, in_flight, cold * 1e3, warm * 1e3, memory_after - memory, static_cast<unsigned long long>(server.stop()));
}

void measure_growth() {
  NodeServer server(std::chrono::milliseconds(0));
  const std::string endpoint = "http://127.0.0.1:" + std::to_string(server.port()) + "/";
  asio::io_context io(1);
  rollcall::Runtime runtime = make_runtime(io, 64);
  expect(resolve(io, runtime, endpoint, 1000, 64), 1000);
  const long memory = resident_kb();
  const int open = descriptors();
  expect(resolve(io, runtime, endpoint, 10000, 64), 10000);
  std::printf("10,000 resolves of distinct nodes: %+ld kB resident, %+d descriptors, %d thread(s); server counted %llu of 11000\n",
              resident_kb() - memory, descriptors() - open, threads(), static_cast<unsigned long long>(server.stop()));
}

}  // namespace

// floor [COUNT]: with a count only that many resolves, for a profiler.
int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (argc > 1) {
    NodeServer server(std::chrono::milliseconds(0));
    asio::io_context io(1);
    rollcall::Runtime runtime = make_runtime(io, 64);
    const int count = std::atoi(argv[1]);
    expect(resolve(io, runtime, "http://127.0.0.1:" + std::to_string(server.port()) + "/", count, 64), count);
    return 0;
  }
  const bool is_count_right = compare_cpu();
  for (const int delay : {0, 50}) {
    for (const int in_flight : {64, 1000}) measure_wall(delay, in_flight);
  }
  measure_growth();
  return is_count_right ? 0 : 1;
}
