// A network between members that loses the packets of large messages, and a clock that is wrong.
#pragma once

#include <functional>
#include <memory>

#include "async/timer_queue.hpp"
#include "rollcall/http.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall::sim {

/// `loses(to)`: large messages between this member and that one are lost, unless they go in packets of 1400 bytes.
std::shared_ptr<HttpTransport> make_lossy_transport(std::shared_ptr<HttpTransport> http, std::shared_ptr<TimerQueue> timers,
                                                    std::function<bool(std::size_t to)> loses);

std::shared_ptr<TimeSource> make_shifted_time(std::shared_ptr<TimeSource> right, Duration ahead);

}  // namespace rollcall::sim
