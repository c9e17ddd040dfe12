// Several replicas of a service over one lease in memory, and the cloud that they ask, in virtual time. Each has its own ways to the lease,
// the cloud and the other replicas, which a test cuts.
#pragma once

#include <fmt/format.h>
#include <asio/co_spawn.hpp>
#include <asio/use_awaitable.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/fleet_support.hpp"
#include "fleet/http/fleet_http.hpp"
#include "fleet/replicas/pausable_executor.hpp"
#include "fleet/replicas/shared_fleet.hpp"
#include "lease/elector.hpp"
#include "sim/serve/handler_transport.hpp"
#include "support/lease/memory_lease.hpp"

namespace rollcall::testing {

/// A replica's way to the others, by their ports, and to the cloud.
class RoutedTransport final : public HttpTransport {
 public:
  explicit RoutedTransport(std::shared_ptr<HttpTransport> to_cloud) : cloud(std::move(to_cloud)) {}
  std::shared_ptr<HttpTransport> cloud;
  std::map<std::uint16_t, std::shared_ptr<sim::HandlerTransport>> peers;
  bool is_cloud_cut = false;

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
    if (const auto peer = peer_of(request)) co_return co_await peer->send(request, options);
    if (is_cloud_cut) co_return Failure(Errc::unreachable, "connection refused").with_phase(Phase::connect);
    co_return co_await cloud->send(request, options);
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) override {
    if (const auto peer = peer_of(request)) co_return co_await peer->open(request, options);
    if (is_cloud_cut) co_return Failure(Errc::unreachable, "connection refused").with_phase(Phase::connect);
    co_return co_await cloud->open(request, options);
  }
  void close() override {}

 private:
  std::shared_ptr<sim::HandlerTransport> peer_of(const HttpRequest& request) const {
    const auto peer = peers.find(request.url.port);
    return request.url.host == "127.0.0.1" && peer != peers.end() ? peer->second : nullptr;
  }
};

/// `fleet` of FleetLoop polls by itself, as a service without a lease does: it has no followers here.
class ReplicaLoop : public FleetLoop {
 public:
  static constexpr Duration ttl = std::chrono::seconds(15);

  class One {
   public:
    std::optional<PausableExecutor> executor;
    std::shared_ptr<RoutedTransport> transport;
    std::optional<Runtime> runtime;
    std::shared_ptr<MemoryLeaseEngine> engine;
    std::shared_ptr<lease::Elector> elector;
    std::shared_ptr<fleet::Fleet> fleet;
    std::shared_ptr<fleet::FleetHttp> service;
  };

  explicit ReplicaLoop(std::string_view cloud_text, std::size_t replicas = 1, int schema = fleet::replica_schema)
      : FleetLoop(cloud_text), schemas(replicas, schema) {
    ones.resize(replicas);
    for (One& one : ones) one.executor.emplace(io);
    for (std::size_t i = 0; i < replicas; ++i) begin(i);
    pass(1);
    if (leader() < 0) pass(16);  // a lease that was never taken may hide a holder
  }
  ~ReplicaLoop() {
    for (One& one : ones) {
      one.fleet->close();
      for (const auto& [port, peer] : one.transport->peers) peer->break_all();
    }
    pass(10);
  }

  static std::uint16_t port_of(std::size_t replica) { return static_cast<std::uint16_t>(7100 + replica); }

  /// A process without any state.
  void begin(std::size_t i) {
    One& one = ones[i];
    one.transport = std::make_shared<RoutedTransport>(http);
    for (std::size_t k = 0; k < ones.size(); ++k) {
      if (k == i) continue;
      const auto handler = [this, k](ServerExchange& exchange) { return serve(k, exchange); };
      one.transport->peers[port_of(k)] = sim::make_handler_transport(io.get_executor(), handler, time);
    }
    RuntimeOptions options;
    options.http = one.transport;
    options.tcp = sim::make_memory_tcp_probe(cloud, time);
    options.time = time;
    options.random_seed = ++seed_;
    options.environment = fixed_environment({});
    options.files = fixed_files({});
    options.credentials = static_token(Secret<std::string>("test-token"));
    one.runtime.emplace(*one.executor, std::move(options));
    one.engine = std::make_shared<MemoryLeaseEngine>(shared);
    fleet::ReplicaOptions replica;
    replica.id = fmt::format("replica-{}-{}", i, seed_);
    replica.schema = schemas[i];
    one.elector = std::make_shared<lease::Elector>(*one.runtime, one.engine, replica.id, ttl);
    const auto by_target = [](Runtime for_all, const std::string& target) { return make_resolver(std::move(for_all), target); };
    const auto shared_fleet = std::make_shared<fleet::SharedFleet>(*one.runtime, fleet_options(), by_target, one.elector, replica);
    shared_fleet->start();
    one.fleet = shared_fleet;
    one.fleet->serves_at(fmt::format("http://127.0.0.1:{}", port_of(i)));
    fleet::FleetHttpOptions http_options;
    one.service = std::make_shared<fleet::FleetHttp>(one.fleet, http_options);
  }
  /// As if its process had been killed.
  void kill(std::size_t i) {
    ones[i].fleet->close();
    for (std::size_t k = 0; k < ones.size(); ++k) {
      if (k != i) cut(k, i);
    }
    for (const auto& [port, peer] : ones[i].transport->peers) peer->break_all();
  }
  /// What the process of a replica answers: with its own executor, so that it stands still with it.
  asio::awaitable<void> serve(std::size_t i, ServerExchange& exchange) {
    asio::awaitable<void> answer = ones[i].service->handler()(exchange);
    co_await asio::co_spawn(asio::any_io_executor(*ones[i].executor), std::move(answer), asio::use_awaitable);
  }

  /// Connections from one replica to another end, and new ones are refused.
  void cut(std::size_t from, std::size_t to) {
    ones[from].transport->peers[port_of(to)]->refuse(true);
    ones[from].transport->peers[port_of(to)]->break_all();
  }
  void join(std::size_t from, std::size_t to) { ones[from].transport->peers[port_of(to)]->refuse(false); }

  /// The replica that leads; -1: none; -2: more than one believes that it does.
  int leader() const {
    int found = -1;
    for (std::size_t i = 0; i < ones.size(); ++i) {
      const std::optional<fleet::ReplicaNumbers> numbers = ones[i].fleet->replica_numbers();
      if (numbers && numbers->leads) found = found == -1 ? static_cast<int>(i) : -2;
    }
    return found;
  }
  std::shared_ptr<fleet::Topic> tpu_at(std::size_t replica, std::string_view name) {
    const std::string text = fmt::format("tpu:{},project=example-proj,zone=us-central2-b", name);
    return value_of(ones[replica].fleet->topic(value_of(Target::parse(text))));
  }

  std::vector<int> schemas;  ///< that a replica speaks from its next begin() on
  std::shared_ptr<MemoryLease> shared = std::make_shared<MemoryLease>();
  std::vector<One> ones;

 private:
  std::uint64_t seed_ = 0;
};

/// Listens to one target at each of the replicas.
class Heard {
 public:
  Heard(ReplicaLoop& loop, std::string_view name) : ears(loop.ones.size()) {
    for (std::size_t i = 0; i < ears.size(); ++i) {
      topics.push_back(loop.tpu_at(i, name));
      topics[i]->listen(ears[i]);
    }
  }
  std::deque<Ear> ears;
  std::vector<std::shared_ptr<fleet::Topic>> topics;
};

}  // namespace rollcall::testing
