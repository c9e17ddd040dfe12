// HTTP/1.1 over real sockets, and HTTP/2 where an https server chooses it.
#pragma once

#include <asio/any_io_executor.hpp>
#include <memory>

#include "async/timer_queue.hpp"
#include "rollcall/http.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

/// Keeps connections alive between requests (idle ones do not keep the loop running). At most
/// `options.max_connections_per_host` at a time; further exchanges wait in line. Everything happens on `executor`, which must be
/// serial. `memory`, if any, is charged for content of streams that has arrived and is not read yet.
std::shared_ptr<HttpTransport> make_http_transport(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers,
                                                   NetworkOptions options, std::shared_ptr<MemoryAccount> memory = nullptr);

}  // namespace rollcall
