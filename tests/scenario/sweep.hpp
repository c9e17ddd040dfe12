// Runs a scenario many times: with its k-th request failing, for every k and fault, and cancelled or destroyed with its loop after its
// k-th step, for every k. Required: the right answer within the deadline, and no leaks or uses after the end.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rollcall/runtime.hpp"
#include "rollcall/sim.hpp"
#include "rollcall/testing/virtual_loop.hpp"

namespace rollcall::testing {

class Scenario {
 public:
  std::string name;
  std::string cloud;  ///< simulation file
  std::map<std::string, std::string, std::less<>> environment;
  /// Makes the resolver, calls it, and turns the answer into text.
  std::function<asio::awaitable<Result<std::string>>(Runtime)> script;
  Duration timeout = std::chrono::seconds(30);  ///< the script's time-out
  bool uses_default_credentials = false;
  bool asks_members_again = false;  ///< a worker that failed may be ready at the next request
  std::uint64_t spare_request = 0;  ///< counted from 1: if this request fails, another one serves its purpose, or the answer needs it not
  bool retries_malformed = false;  ///< a malformed answer is requested again
};

class SweepReport {
 public:
  int runs = 0;
  std::vector<std::string> problems;
};

/// All sweeps of one scenario.
SweepReport sweep(const Scenario& scenario);

}  // namespace rollcall::testing
