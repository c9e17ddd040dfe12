// The list of the barriers whose tasks meet at a service.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "rollcall/barrier.hpp"
#include "rollcall/call.hpp"
#include "rollcall/error.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// Tasks that start together.
class ListedBarrier {
 public:
  ListedBarrier() {}
  std::string run;    ///< the name of the list of tasks, 16 hexadecimal digits
  std::string tasks;  ///< `chief:0 worker:0-63`
  BarrierProgress progress;
  bool is_released = false;
  std::int64_t generation = 0;  ///< of the start; 0: not released
  Duration waiting{0};          ///< since the first task came for that start
  /// `worker:0-63: 61/64 here · worker:17: not heard from`, or `worker:0-63: started (start 2)`
  std::string line() const;
  friend bool operator==(const ListedBarrier&, const ListedBarrier&) = default;
};

/// Requests GET /v1/runs from the servers of RuntimeOptions::server, or of ROLLCALL_SERVER: each once, until one answers. May suspend;
/// cancellable. Errors: failed_precondition (no server is configured), invalid_argument (the configuration of the servers is wrong),
/// unauthenticated and permission_denied (the service denies the request), those of the last server; cancelled, and those of the deadline.
asio::awaitable<Result<std::vector<ListedBarrier>>> try_list_barriers(Runtime runtime, CallOptions options = {});

}  // namespace rollcall
