// A simulated cloud and a Runtime that uses only it, in virtual time.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "rollcall/credentials.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/sim/cloud.hpp"
#include "rollcall/sim/memory.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "support/result.hpp"

namespace rollcall::testing {

class CloudLoop : public VirtualLoop {
 public:
  using Texts = std::map<std::string, std::string, std::less<>>;
  /// `text` is a simulation file's; `files`: contents of files by their paths.
  explicit CloudLoop(std::string_view text, Texts variables = {}, Texts files = {})
      : cloud(value_of(sim::Cloud::parse(text, "cloud.json"))), http(sim::make_memory_transport(cloud, time, io.get_executor())),
        rpc(sim::make_memory_rpc_transport(cloud, time, io.get_executor())), runtime(make(std::move(variables), std::move(files))),
        started(time->now()) {
    cloud->start(started);
  }

  double elapsed() const { return std::chrono::duration<double>(time->now() - started).count(); }
  std::uint64_t asked(std::string_view route) const {
    const auto found = cloud->counts().find(route);
    return found == cloud->counts().end() ? 0 : found->second;
  }
  /// Moves the clock to this number of seconds after the start.
  void advance_to(double seconds) {
    time->advance_to(started + Duration(static_cast<std::int64_t>(seconds * 1e9)));
    poll();
  }

  std::shared_ptr<sim::Cloud> cloud;
  std::shared_ptr<sim::MemoryTransport> http;
  std::shared_ptr<sim::MemoryRpcTransport> rpc;
  Runtime runtime;
  SteadyTime started;

 private:
  Runtime make(Texts variables, Texts files) {
    RuntimeOptions options;
    options.http = http;
    options.rpc = rpc;
    options.tcp = sim::make_memory_tcp_probe(cloud, time);
    options.time = time;
    options.random_seed = 1;
    options.environment = fixed_environment(std::move(variables));
    options.files = fixed_files(std::move(files));
    options.credentials = static_token(Secret<std::string>("test-token"));
    return Runtime(io.get_executor(), std::move(options));
  }
};

}  // namespace rollcall::testing
