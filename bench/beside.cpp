// How a thousand resolves delay the event loop that they share: a timer of 1 ms beside them, against the same timer on an idle loop. Also
// compares a thousand resolves at 50 ms an answer with the ideal for their number in flight.
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include "measure.hpp"
#include "node_server.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace {

using namespace bench;
using namespace std::chrono_literals;

constexpr int count = 1000;
constexpr int in_flight = 64;

struct Work {
  int next = 0;
  int ready = 0;
};

asio::awaitable<void> resolve_some(rollcall::Runtime runtime, std::string endpoint, Work& work) {
  while (work.next < count) {
    rollcall::TpuOptions options("node-" + std::to_string(work.next++));
    options.project("p").zone("z").endpoint(endpoint);
    const auto tpu = rollcall::make_tpu_resolver(runtime, std::move(options));
    const rollcall::Result<rollcall::ClusterSpec> spec = co_await tpu->try_cluster_spec();
    if (spec) ++work.ready;
  }
}

// How late a timer of 1 ms is, each time, until `is_over`.
asio::awaitable<void> tick(const bool& is_over, std::vector<double>& late_ms) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  auto due = std::chrono::steady_clock::now();
  while (!is_over) {
    due += 1ms;
    timer.expires_at(due);
    co_await timer.async_wait(asio::use_awaitable);
    const auto now = std::chrono::steady_clock::now();
    late_ms.push_back(std::chrono::duration<double, std::milli>(now - due).count());
    if (now > due) due = now;  // one long turn is counted once
  }
}

double percentile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<std::size_t>(part * static_cast<double>(values.size())))];
}

class Loop {
 public:
  explicit Loop(std::uint16_t port) : endpoint_("http://127.0.0.1:" + std::to_string(port) + "/") {
    rollcall::RuntimeOptions options;
    options.environment = rollcall::fixed_environment({});
    options.credentials = rollcall::static_token(rollcall::Secret<std::string>("t"));
    runtime_.emplace(io_.get_executor(), std::move(options));
  }

  /// Wall seconds of a thousand resolves.
  double resolve(std::vector<double>* late_ms) {
    Work work;
    bool is_over = false;
    if (late_ms) asio::co_spawn(io_, tick(is_over, *late_ms), asio::detached);
    const double start = wall_seconds();
    double end = start;
    int running = in_flight;
    for (int i = 0; i < in_flight; ++i) {
      asio::co_spawn(io_, resolve_some(*runtime_, endpoint_, work), [&](std::exception_ptr) {
        if (--running > 0) return;
        is_over = true;
        end = wall_seconds();
      });
    }
    io_.restart();
    io_.run();
    if (work.ready != count) std::printf("FAILED: %d of %d resolved\n", work.ready, count);
    return end - start;
  }

  void idle(std::chrono::milliseconds time, std::vector<double>& late_ms) {
    bool is_over = false;
    asio::co_spawn(io_, tick(is_over, late_ms), asio::detached);
    asio::steady_timer timer(io_, time);
    timer.async_wait([&is_over](const std::error_code&) { is_over = true; });
    io_.restart();
    io_.run();
  }

 private:
  std::string endpoint_;
  asio::io_context io_{1};
  std::optional<rollcall::Runtime> runtime_;
};

void compare_timer(std::chrono::milliseconds delay) {
  NodeServer server(delay);
  Loop loop(server.port());
  std::vector<double> busy;
  std::vector<double> idle;
  for (int round = 0; round < rounds_of(10); ++round) {
    loop.resolve(&busy);
    loop.idle(200ms, idle);
  }
  std::printf(
      "a timer of 1 ms beside 1,000 resolves, answers after %2d ms: late by %.2f ms (99.9 %%), idle loop %.2f ms: %+.2f ms; worst %.2f, "
      "idle %.2f\n",
      static_cast<int>(delay.count()), percentile(busy, 0.999), percentile(idle, 0.999), percentile(busy, 0.999) - percentile(idle, 0.999),
      percentile(busy, 1), percentile(idle, 1));
  const std::string name = "late_" + std::to_string(delay.count());
  record((name + "_ms").c_str(), percentile(busy, 0.999));
  record((name + "_idle_ms").c_str(), percentile(idle, 0.999));
}

void compare_wall() {
  NodeServer server(50ms);
  Loop loop(server.port());
  const double cold = loop.resolve(nullptr);
  std::vector<double> warm;
  for (int round = 0; round < rounds_of(5); ++round) warm.push_back(loop.resolve(nullptr));
  const double ideal = (count + in_flight - 1) / in_flight * 0.050;
  std::printf("1,000 TPUs at 50 ms, %d in flight: %.0f ms cold (%.3f x the ideal %.0f), %.0f ms warm (%.3f x)\n", in_flight, cold * 1e3,
              cold / ideal, ideal * 1e3, median(warm) * 1e3, median(warm) / ideal);
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  compare_timer(0ms);
  compare_timer(50ms);
  compare_wall();
}
