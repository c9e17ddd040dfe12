// A Runtime in virtual time over a simulated cloud.
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>

#include "rollcall/credentials.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/sim/cloud.hpp"
#include "rollcall/sim/memory.hpp"
#include "support/virtual_loop.hpp"

namespace rollcall::testing {

class SimRuntime : public VirtualLoop {
 public:
  /// `text` is a simulation file's.
  explicit SimRuntime(std::string_view text, std::map<std::string, std::string, std::less<>> variables = {}, Limits limits = {})
      : cloud(make_cloud(text)), http(sim::make_memory_transport(cloud, time, io.get_executor())),
        runtime(make(std::move(variables), limits)) {
    cloud->start(time->now());
  }

  std::shared_ptr<sim::Cloud> cloud;
  std::shared_ptr<HttpTransport> http;
  Runtime runtime;

  std::uint64_t count(std::string_view route) const {
    const auto found = cloud->counts().find(route);
    return found == cloud->counts().end() ? 0 : found->second;
  }
  /// Moves the clock to so many seconds after the start.
  void advance_to(double seconds) {
    time->advance_to(SteadyTime(Duration(static_cast<std::int64_t>(seconds * 1e9))));
    poll();
  }

 private:
  static std::shared_ptr<sim::Cloud> make_cloud(std::string_view text) {
    auto parsed = sim::Cloud::parse(text, "cloud.json");
    if (!parsed) FAIL(parsed.error().what());
    return *parsed;
  }
  Runtime make(std::map<std::string, std::string, std::less<>> variables, Limits limits) {
    RuntimeOptions options;
    options.http = http;
    options.time = time;
    options.random_seed = 1;
    options.environment = fixed_environment(std::move(variables));
    options.files = fixed_files({});
    options.credentials = static_token(Secret<std::string>("test-token"));
    options.limits = limits;
    return Runtime(io.get_executor(), std::move(options));
  }
};

}  // namespace rollcall::testing
