// What an exception means that ended a piece of work. Inside, failures are values, so an exception is Asio's cancellation or comes from
// code that is not ours. Work that is spawned and not awaited is judged by this.
#pragma once

#include <exception>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

/// `subject` names the work. The result is cancelled; the Failure of a ResolveError; limit_exceeded when memory ran out; otherwise
/// failed_precondition.
Failure failure_of_thrown(std::exception_ptr error, std::string_view subject);

/// limit_exceeded: the process has no memory left.
Failure out_of_memory(std::string_view subject);

}  // namespace rollcall
