// The cost of TLS for a resolve over an open connection: the client's CPU over https against plain http, in alternating rounds.
#include <sys/mman.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <string>

#include "count_allocations.hpp"
#include "measure.hpp"
#include "node_server.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace {

using namespace bench;

constexpr int count = 2000;

// Bytes in a file without a name.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : descriptor_(::memfd_create("authority", MFD_CLOEXEC)) {
    if (descriptor_ < 0 || ::write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

class Client {
 public:
  Client(std::string scheme, std::uint16_t port, const std::string& ca_file, std::size_t connections = 64)
      : endpoint_(std::move(scheme) + "://127.0.0.1:" + std::to_string(port) + "/") {
    rollcall::RuntimeOptions options;
    options.environment = rollcall::fixed_environment({});
    options.credentials = rollcall::static_token(rollcall::Secret<std::string>("test-token"));
    options.network.ca_file = ca_file;
    options.limits.requests_in_flight_per_host = connections;
    options.network.max_connections_per_host = connections;
    options.network.max_idle_connections_per_host = connections;
    runtime_.emplace(io_.get_executor(), std::move(options));
  }

  /// Microseconds of CPU for each of so many resolves; the first time with the handshakes.
  double resolve(int in_flight, int wanted = count) {
    wanted_ = wanted;
    next_ = 0;
    ready_ = 0;
    const double start = cpu_seconds();
    for (int i = 0; i < in_flight; ++i) asio::co_spawn(io_, resolve_some(), asio::detached);
    io_.restart();
    io_.run();
    const double used = cpu_seconds() - start;
    if (ready_ != wanted) {
      std::printf("FAILED: %d of %d resolved\n", ready_, wanted);
      std::exit(1);
    }
    return used / wanted * 1e6;
  }

 private:
  asio::awaitable<void> resolve_some() {
    while (next_ < wanted_) {
      rollcall::TpuOptions options("node-" + std::to_string(next_++));
      options.project("p").zone("z").endpoint(endpoint_);
      const auto tpu = rollcall::make_tpu_resolver(*runtime_, std::move(options));
      const rollcall::Result<rollcall::ClusterSpec> spec = co_await tpu->try_cluster_spec();
      if (spec && spec->num_tasks("worker").value() == 4) ++ready_;
      if (!spec && ready_ == 0) std::printf("%s\n", spec.error().message().c_str());
    }
  }

  std::string endpoint_;
  asio::io_context io_{1};
  std::optional<rollcall::Runtime> runtime_;
  int wanted_ = count;
  int next_ = 0;
  int ready_ = 0;
};

void compare(int rounds, Client& plain, Client& tls, int in_flight) {
  plain.resolve(in_flight);
  tls.resolve(in_flight);
  std::vector<double> plain_us, tls_us, ratios;
  std::uint64_t plain_allocations = 0, tls_allocations = 0;
  for (int round = 0; round < rounds; ++round) {
    std::uint64_t before = allocations;
    plain_us.push_back(plain.resolve(in_flight));
    plain_allocations += allocations - before;
    before = allocations;
    tls_us.push_back(tls.resolve(in_flight));
    tls_allocations += allocations - before;
    ratios.push_back(tls_us.back() / plain_us.back());
    record(in_flight == 1 ? "plain_one_us" : "plain_us", plain_us.back());
    record(in_flight == 1 ? "tls_one_us" : "tls_us", tls_us.back());
  }
  const double resolves = static_cast<double>(count) * rounds;
  std::printf(
      "cpu per resolve, connection reused, %2d in flight: http %6.2f us, https %6.2f us, ratio %.2f (median of %d pairs); allocations "
      "%.1f, "
      "%.1f\n",
      in_flight, median(plain_us), median(tls_us), median(ratios), rounds, static_cast<double>(plain_allocations) / resolves,
      static_cast<double>(tls_allocations) / resolves);
}

// The memory of an open connection: the heap with that many of them against the heap without.
void measure_memory(const std::string& ca_file, rollcall::sim::Authority& authority) {
  constexpr int connections = 1000;
  NodeServer server(std::chrono::milliseconds(50), node_answer, &authority);
  Client client("https", server.port(), ca_file, connections);
  client.resolve(1, 1);
  const long before = heap_kb();
  const int open = descriptors();
  client.resolve(connections);
  const int opened = descriptors() - open;
  const double each = static_cast<double>(heap_kb() - before) / std::max(opened, 1);
  std::printf("%d connections over TLS stay open, %.1f kB of heap each\n", opened, each);
  record("tls_connection_kb", each);
}

}  // namespace

// tls [http|https]: with an argument only that side, for a profiler.
int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto authority = rollcall::sim::Authority::create();
  if (!authority) return 1;
  NodeServer plain_server(std::chrono::milliseconds(0));
  NodeServer tls_server(std::chrono::milliseconds(0), node_answer, authority->get());
  const MemoryFile file((*authority)->pem());
  Client plain("http", plain_server.port(), "");
  Client tls("https", tls_server.port(), file.path());
  if (argc > 1) {
    Client& one = std::string(argv[1]) == "http" ? plain : tls;
    for (int round = 0; round < 10; ++round) one.resolve(1);
    return 0;
  }
  const int rounds = rounds_of(15);
  compare(rounds, plain, tls, 1);
  compare(rounds, plain, tls, 64);
  measure_memory(file.path(), **authority);
  const auto wanted = 2ULL * static_cast<unsigned>((rounds + 1) * count);
  const unsigned long long asked[] = {plain_server.stop(), tls_server.stop()};
  std::printf("the servers counted %llu and %llu requests for %llu resolves each\n", asked[0], asked[1], wanted);
  return asked[0] == wanted && asked[1] == wanted ? 0 : 1;
}
