// An event loop whose clock only advances when no handler is ready.
#pragma once

#include <asio/io_context.hpp>

#include "rollcall/testing/fake_time.hpp"

namespace bench {

/// Runs until no timer up to `end` is left.
inline void run_until(asio::io_context& io, rollcall::testing::FakeTime& time, rollcall::SteadyTime end) {
  for (;;) {
    io.restart();
    while (io.poll() > 0) io.restart();
    const auto next = time.next_alarm();
    if (!next || *next > end) return;
    time.advance_to(*next);
  }
}

}  // namespace bench
