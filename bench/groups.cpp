// An instance group of a thousand members by either look-up, and a union of eight TPUs, at 50 ms an answer: wall time against the minimum
// of round trips.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

#include "compute_bytes.hpp"
#include "measure.hpp"
#include "node_server.hpp"
#include "rollcall/gce_resolver.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/union_resolver.hpp"

namespace {

using namespace bench;

constexpr int members = 1000;
constexpr int in_flight = 64;
constexpr double delay_ms = 50;

std::string compute_answer_to(const rollcall::ServerRequest& request) { return compute_answer(request.target); }

int ask(asio::io_context& io, rollcall::ClusterResolver& resolver) {
  int tasks = 0;
  auto on_done = [&tasks](std::exception_ptr, rollcall::Result<rollcall::ClusterSpec> spec) {
    if (spec) tasks = spec->num_tasks("worker").value();
    if (!spec) std::printf("%s\n", spec.error().message().c_str());
  };
  asio::co_spawn(io, resolver.try_cluster_spec(), on_done);
  io.restart();
  io.run();
  return tasks;
}

rollcall::RuntimeOptions quiet() {
  rollcall::RuntimeOptions options;
  options.environment = rollcall::fixed_environment({});
  options.credentials = rollcall::static_token(rollcall::Secret<std::string>("test-token"));
  return options;
}

std::shared_ptr<rollcall::ClusterResolver> group(const rollcall::Runtime& runtime, std::uint16_t port, rollcall::GceLookup lookup) {
  rollcall::GceOptions options("workers");
  options.project("p").zone("z").port(8470).lookup(lookup).endpoint(fmt::format("http://127.0.0.1:{}", port));
  return rollcall::make_gce_resolver(runtime, std::move(options));
}

std::shared_ptr<rollcall::ClusterResolver> eight_tpus(const rollcall::Runtime& runtime, std::uint16_t port) {
  std::vector<std::shared_ptr<rollcall::ClusterResolver>> children;
  for (int i = 0; i < 8; ++i) {
    rollcall::TpuOptions options(fmt::format("tpu-{}", i));
    options.project("p").zone("z").endpoint(fmt::format("http://127.0.0.1:{}/", port));
    children.push_back(rollcall::make_tpu_resolver(runtime, std::move(options)));
  }
  return rollcall::make_union_resolver(runtime, std::move(children));
}

using Maker = std::shared_ptr<rollcall::ClusterResolver> (*)(const rollcall::Runtime& runtime, std::uint16_t port);

// The median of some calls, each with its own runtime, so connections are included. False: wrong, or over 1.3 times the ideal.
bool measure(const char* what, const std::string& name, NodeServer::Body body, Maker make, int expected, int round_trips) {
  const int rounds = rounds_of(9);
  NodeServer server(std::chrono::milliseconds(static_cast<int>(delay_ms)), body);
  std::vector<double> wall_ms, cpu_ms;
  for (int round = 0; round < rounds; ++round) {
    asio::io_context io(1);
    const rollcall::Runtime runtime(io.get_executor(), quiet());
    const auto resolver = make(runtime, server.port());
    const double start = wall_seconds(), cpu = cpu_seconds();
    const int tasks = ask(io, *resolver);
    wall_ms.push_back((wall_seconds() - start) * 1e3);
    record((name + "_ms").c_str(), wall_ms.back());
    record((name + "_ideal_ms").c_str(), round_trips * delay_ms);
    cpu_ms.push_back((cpu_seconds() - cpu) * 1e3);
    if (tasks == expected) continue;
    std::printf("FAILED: %d of %d tasks\n", tasks, expected);
    return false;
  }
  const double ideal = round_trips * delay_ms;
  const double ratio = median(wall_ms) / ideal;
  std::printf("%-44s %4.0f requests   ideal %2d round trips %6.1f ms   rollcall %6.1f ms (cpu %5.1f)   ratio %.2f\n", what,
              static_cast<double>(server.stop()) / rounds, round_trips, ideal, median(wall_ms), median(cpu_ms), ratio);
  return ratio <= 1.3;
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const Maker by_get = [](const rollcall::Runtime& r, std::uint16_t p) { return group(r, p, rollcall::GceLookup::get); };
  const Maker by_list = [](const rollcall::Runtime& r, std::uint16_t p) { return group(r, p, rollcall::GceLookup::list); };
  constexpr int pages = members / group_page;
  bool is_good = measure("group of 1000, instances.get, 64 at once", "group_get", compute_answer_to, by_get, members,
                         pages + (members + in_flight - 1) / in_flight);
  is_good = measure("group of 1000, instances.list with filters", "group_list", compute_answer_to, by_list, members, pages + 1) && is_good;
  is_good = measure("union of eight TPUs", "union", node_answer, eight_tpus, 8 * 4, 1) && is_good;
  if (!is_good) std::printf("FAILED: a ratio is over 1.3\n");
  return is_good ? 0 : 1;
}
