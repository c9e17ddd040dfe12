// Tries TCP connections and closes them.
#pragma once

#include <asio/any_io_executor.hpp>
#include <memory>

#include "async/timer_queue.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/tcp_probe.hpp"

namespace rollcall {

/// Uses sockets, with the name look-up, the address race and the connect-to map of `network`; never its proxy.
std::shared_ptr<TcpProbe> make_tcp_probe(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers, NetworkOptions network);

}  // namespace rollcall
