// What an exception means that ended a piece of work: inside, failures are values, and an exception is a cancellation of Asio's, or none of
// ours. Where work is spawned without anybody who awaits it, this is what becomes of it.
#pragma once

#include <exception>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

/// `subject` is what was going on. Cancelled; the Failure of a ResolveError; limit_exceeded when memory ran out; otherwise
/// failed_precondition.
Failure failure_of_thrown(std::exception_ptr error, std::string_view subject);

/// limit_exceeded: the process has no memory left.
Failure out_of_memory(std::string_view subject);

}  // namespace rollcall
