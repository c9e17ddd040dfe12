// gRPC as the library's RpcTransport: generic stub, callback API. gRPC itself starts at the first call.
#pragma once

#include <asio/any_io_executor.hpp>
#include <memory>

#include "async/timer_queue.hpp"
#include "rollcall/rpc.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

std::shared_ptr<RpcTransport> make_grpc_transport(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers,
                                                  NetworkOptions options, std::shared_ptr<const Files> files);

}  // namespace rollcall
