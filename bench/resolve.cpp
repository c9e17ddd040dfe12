// The two contenders of scripts/bench that are ours: resolves of distinct nodes by the library, and the floor below them, Asio alone.
//
// resolve raw|rollcall|http1.1 PORT COUNT IN_FLIGHT [--once] asks for COUNT nodes, so many at a time, twice (the second time by warm
// connections), and prints one line of JSON as all contenders do: wall and CPU seconds of either, memory before them and its maximum, how
// many were resolved. The count of allocations and the kind of build are additional. With BENCH_CA in the environment rollcall asks over
// https, and as http1.1 it does not offer HTTP/2.
#include <sys/resource.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <cstring>
#include <fstream>

#include "count_allocations.hpp"
#include "measure.hpp"
#include "raw_client.hpp"
#include "resolve_load.hpp"

namespace {

using namespace bench;

// The kind of build, as bench/counts.txt names it: gcc-12-release, clang-19-debug.
std::string kind_of_build() {
#ifdef __clang__
  const std::string compiler = "clang-" + std::to_string(__clang_major__);
#else
  const std::string compiler = "gcc-" + std::to_string(__GNUC__);
#endif
#ifdef __OPTIMIZE__
  return compiler + "-release";
#else
  return compiler + "-debug";
#endif
}

// The maximum of the process's memory.
long highest_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6);
  }
  return 0;
}

template <typename Run>
int report(int count, int rounds, const Run& run) {
  const long before = resident_kb();
  std::string measured;
  int ready = 0;
  for (int round = 0; round < rounds; ++round) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    ready += run(count);
    char text[96];
    std::snprintf(text, sizeof text, "\"%s\":[%.6f,%.6f],", round == 0 ? "cold" : "warm", wall_seconds() - wall, cpu_seconds() - cpu);
    measured += text;
  }
  std::printf("{%s\"rss_kb\":[%ld,%ld],\"ready\":%d,\"requests\":%d,\"allocations\":%llu,\"build\":\"%s\"}\n", measured.c_str(), before,
              highest_kb(), ready, rounds * count, static_cast<unsigned long long>(allocations), kind_of_build().c_str());
  return ready == rounds * count ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[2]));
  const int count = std::atoi(argv[3]), in_flight = std::atoi(argv[4]);
  const int rounds = argc > 5 && std::strcmp(argv[5], "--once") == 0 ? 1 : 2;
  asio::io_context io(1);
  if (std::strcmp(argv[1], "raw") == 0) {
    std::optional<RawClient> client;
    return report(count, rounds, [&](int wanted) {
      if (!client) client.emplace(io, port, in_flight);
      return client->run(wanted);
    });
  }
  const char* const ca_file = std::getenv("BENCH_CA");
  rollcall::Runtime runtime =
      make_runtime(io, static_cast<std::size_t>(in_flight), ca_file ? ca_file : "", std::strcmp(argv[1], "http1.1") != 0);
  const std::string endpoint = (ca_file ? "https" : "http") + std::string("://127.0.0.1:") + std::to_string(port) + "/";
  return report(count, rounds, [&](int wanted) { return resolve(io, runtime, endpoint, wanted, in_flight); });
}
