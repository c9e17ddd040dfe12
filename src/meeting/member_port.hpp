// A member listens at its port.
#pragma once

#include <cstddef>
#include <memory>

#include "call/runtime_impl.hpp"
#include "net/server/http_server.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall::meeting {

/// Of that port, for a cluster of so many.
ServerLimits member_limits(std::size_t members);

/// Serves at the port of `at` until the returned object is destroyed. `bodies`: how much of a body is read. `members`: how many there are:
/// by that the connections are bounded. The port is the program's later: connections end with RST, which leaves none in TIME_WAIT. A
/// loopback address is listened at alone, since several members of one machine may have one each; else all addresses of this host are.
/// Errors: failed_precondition: the port is not free.
Result<std::shared_ptr<void>> listen_for_members(Runtime::Impl& runtime, HttpServer::Handler handler, HttpServer::BodyRule bodies,
                                                 const Endpoint& at, std::size_t members);

}  // namespace rollcall::meeting
