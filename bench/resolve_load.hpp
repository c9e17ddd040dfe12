// Resolves of distinct nodes by the library, a fixed number at a time, as floor.cpp and resolve.cpp measure them.
#pragma once

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <string>

#include "rollcall/tpu_resolver.hpp"

namespace bench {

struct ResolveLoad {
  int next = 0;
  int count = 0;
  int ready = 0;
};

inline rollcall::Runtime make_runtime(asio::io_context& io, std::size_t in_flight, const std::string& ca_file = {},
                                      bool may_use_http2 = true) {
  rollcall::RuntimeOptions options;
  options.environment = rollcall::fixed_environment({});
  options.credentials = rollcall::static_token(rollcall::Secret<std::string>("test-token"));
  options.network.ca_file = ca_file;
  options.network.http2 = may_use_http2;
  options.limits.requests_in_flight_per_host = in_flight;
  options.network.max_connections_per_host = may_use_http2 ? in_flight : std::min<std::size_t>(in_flight, 64);
  options.network.max_idle_connections_per_host = in_flight;
  return rollcall::Runtime(io.get_executor(), std::move(options));
}

inline asio::awaitable<void> resolve_some(rollcall::Runtime runtime, std::string endpoint, ResolveLoad& load) {
  while (load.next < load.count) {
    rollcall::TpuOptions options("node-" + std::to_string(load.next++));
    options.project("p").zone("z").endpoint(endpoint);
    const auto tpu = rollcall::make_tpu_resolver(runtime, std::move(options));
    const rollcall::Result<rollcall::ClusterSpec> spec = co_await tpu->try_cluster_spec();
    if (spec && spec->num_tasks("worker").value() == 4) ++load.ready;
    if (!spec && load.ready == 0) std::printf("%s\n", spec.error().message().c_str());
  }
}

/// How many of `count` distinct nodes were resolved, so many at a time.
inline int resolve(asio::io_context& io, rollcall::Runtime& runtime, const std::string& endpoint, int count, int in_flight) {
  ResolveLoad load;
  load.count = count;
  for (int i = 0; i < in_flight; ++i) asio::co_spawn(io, resolve_some(runtime, endpoint, load), asio::detached);
  io.restart();
  io.run();
  return load.ready;
}

}  // namespace bench
