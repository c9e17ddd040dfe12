// A simulated cloud and a Runtime that knows nothing else, in virtual time.
#pragma once

#include "rollcall/sim.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {

class CloudLoop : public VirtualLoop {
 public:
  explicit CloudLoop(const std::string& text, std::map<std::string, std::string, std::less<>> variables = {})
      : cloud(sim::Cloud::parse(text).value()), http(sim::make_memory_transport(cloud, time, io.get_executor())),
        rpc(sim::make_memory_rpc_transport(cloud, time, io.get_executor())), log(std::make_shared<RecordingLog>()),
        runtime(make(std::move(variables))) {
    cloud->start(time->now());
    started = time->now();
  }
  double elapsed() const { return std::chrono::duration<double>(time->now() - started).count(); }
  std::uint64_t asked(std::string_view route) const {
    const auto found = cloud->counts().find(route);
    return found == cloud->counts().end() ? 0 : found->second;
  }

  std::shared_ptr<sim::Cloud> cloud;
  std::shared_ptr<sim::MemoryTransport> http;
  std::shared_ptr<sim::MemoryRpcTransport> rpc;
  std::shared_ptr<RecordingLog> log;
  Runtime runtime;
  SteadyTime started;

 private:
  Runtime make(std::map<std::string, std::string, std::less<>> variables) {
    RuntimeOptions options;
    options.http = http;
    options.rpc = rpc;
    options.tcp = sim::make_memory_tcp_probe(cloud, time);
    options.time = time;
    options.random_seed = 1;
    options.environment = fixed_environment(std::move(variables));
    options.files = fixed_files({});
    options.credentials = static_token(Secret<std::string>("test-token"));
    options.log = log;
    return Runtime(io.get_executor(), std::move(options));
  }
};

}  // namespace rollcall::testing
