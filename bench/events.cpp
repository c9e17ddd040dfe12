// A hundred thousand changes of pods, in virtual time: the requests to the API server, and the cost compared with a reader that takes the
// same stream and ignores it.
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <cstdio>
#include <limits>
#include <string>

#include "measure.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/sim.hpp"
#include "rollcall/testing/fake_time.hpp"
#include "rollcall/watch.hpp"
#include "virtual_time.hpp"

namespace {

using namespace std::chrono_literals;

constexpr int pods = 1000;
constexpr int changes = 100;  // of each pod, one a second
constexpr const char* server = "https://127.0.0.1:6443";

std::string cloud_text() {
  std::string timeline;
  for (int i = 1; i <= changes; ++i)
    timeline += (i > 1 ? ", " : "") + std::string("{\"at\": ") + std::to_string(i) + ", \"ready\": " + (i % 2 ? "false}" : "true}");
  return R"({"kubernetes": {"namespace": "train", "managed_fields": false, "pods": [{"kind": "indexed_job", "name": "trainer", "count": )" +
         std::to_string(pods) + ", \"timeline\": [" + timeline + "]}]}}";
}

class World {
 public:
  World() {
    cloud->start(time->now());
    rollcall::RuntimeOptions options;
    options.http = http;
    options.time = time;
    options.environment = rollcall::fixed_environment({});
    options.files = rollcall::fixed_files({});
    options.credentials = rollcall::static_token(rollcall::Secret<std::string>("t"));
    runtime.emplace(io.get_executor(), std::move(options));
  }
  /// Until the last change, and a little longer.
  void run() { bench::run_until(io, *time, time->now() + std::chrono::seconds(changes + 10)); }
  unsigned long long asked(std::string_view route) const {
    const auto found = cloud->counts().find(route);
    return found == cloud->counts().end() ? 0 : found->second;
  }

  asio::io_context io{1};
  std::shared_ptr<rollcall::testing::FakeTime> time = std::make_shared<rollcall::testing::FakeTime>();
  std::shared_ptr<rollcall::sim::Cloud> cloud = rollcall::sim::Cloud::parse(cloud_text()).value();
  std::shared_ptr<rollcall::sim::MemoryTransport> http = rollcall::sim::make_memory_transport(cloud, time, io.get_executor());
  std::optional<rollcall::Runtime> runtime;
};

struct Reading {
  std::size_t bytes = 0;
  std::size_t events = 0;
};

rollcall::HttpRequest pods_request(const std::string& query) {
  rollcall::HttpRequest request(
      *rollcall::Url::parse(server + std::string("/api/v1/namespaces/train/pods?labelSelector=job-name%3Dtrainer") + query));
  request.bearer = rollcall::Secret<std::string>("t");
  return request;
}

asio::awaitable<void> read_raw(World& world, Reading& reading) {
  const rollcall::HttpRequest list = pods_request("");
  rollcall::ExchangeOptions exchange;
  exchange.max_body_bytes = std::numeric_limits<std::size_t>::max();
  exchange.response_timeout = std::chrono::hours(1);
  const rollcall::Result<rollcall::HttpResponse> listed = co_await world.http->send(list, exchange);
  const std::string key = "\"resourceVersion\":\"";
  const std::size_t at = listed ? listed->body.find(key) : std::string::npos;
  if (at == std::string::npos) co_return;
  const std::string version = listed->body.substr(at + key.size(), listed->body.find('"', at + key.size()) - at - key.size());
  const rollcall::HttpRequest watch = pods_request("&watch=1&timeoutSeconds=600&resourceVersion=" + version);
  const rollcall::Result<std::unique_ptr<rollcall::HttpStream>> stream = co_await world.http->open(watch, exchange);
  if (!stream) co_return;
  for (;;) {
    const rollcall::Result<std::string_view> piece = co_await (*stream)->read();
    if (!piece || piece->empty()) co_return;
    reading.bytes += piece->size();
    reading.events += static_cast<std::size_t>(std::count(piece->begin(), piece->end(), '\n'));
  }
}

asio::awaitable<void> follow(rollcall::ClusterWatch& watch, std::size_t& sent) {
  for (;;) {
    const rollcall::Result<rollcall::ClusterChange> change = co_await watch.try_next();
    if (!change) co_return;
    ++sent;
  }
}

}  // namespace

int main() {
  Reading reading;
  double raw_cpu = 0;
  {
    World world;
    asio::co_spawn(world.io, read_raw(world, reading), asio::detached);
    const double start = bench::cpu_seconds();
    world.run();
    raw_cpu = bench::cpu_seconds() - start;
  }
  World world;
  rollcall::KubernetesOptions options;
  options.job("worker", {"job-name=trainer"}).api_server(server).namespace_name("train").address(rollcall::PodAddress::pod);
  const auto following = rollcall::watch(rollcall::make_kubernetes_resolver(*world.runtime, std::move(options)));
  std::size_t sent = 0;
  asio::co_spawn(world.io, follow(*following, sent), asio::detached);
  const double start = bench::cpu_seconds();
  world.run();
  const double cpu = bench::cpu_seconds() - start;
  const std::size_t ready = following->status().members.size();
  following->close();
  world.io.restart();
  world.io.poll();
  std::printf("%zu events (%.0f MB) of %d pods: one list (%llu pages of up to 500), %llu watch; %zu changes told, %zu members at the end\n",
              reading.events, static_cast<double>(reading.bytes) * 1e-6, pods, world.asked("pods.list"), world.asked("pods.watch"), sent,
              ready);
  std::printf("the simulator and a reader that looks at nothing: %.2f s of CPU, %.1f us an event\n", raw_cpu,
              raw_cpu * 1e6 / static_cast<double>(reading.events));
  std::printf("the simulator and a watch: %.2f s, %.1f us an event (%.2fx)\n", cpu, cpu * 1e6 / static_cast<double>(reading.events),
              cpu / raw_cpu);
  return reading.events >= static_cast<std::size_t>(pods) * changes && world.asked("pods.list") == pods / 500 &&
                 world.asked("pods.watch") == 1
             ? 0
             : 1;
}
