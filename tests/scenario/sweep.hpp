// Runs a scenario again and again: with its k-th request failing, for every k and fault, and cancelled, or left with its loop, after its
// k-th step, for every k. What must hold: an answer within the deadline, the right one, and nothing left behind or used after its end.
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
  Duration timeout = std::chrono::seconds(30);  ///< the script's own
  bool uses_default_credentials = false;
  bool asks_members_again = false;  ///< a worker that fails in whatever way may be ready the next time
  std::uint64_t spare_request = 0;  ///< counted from 1: when it fails, what it was for is asked for in another way
  bool rides_out_nonsense = false;  ///< an answer that makes no sense is asked for again
};

class SweepReport {
 public:
  int runs = 0;
  std::vector<std::string> problems;
};

/// All sweeps of one scenario.
SweepReport sweep(const Scenario& scenario);

}  // namespace rollcall::testing
