// Converts an exception that ended a piece of work. Inside, failures are values, so an exception is Asio's cancellation or comes from other
// code. Used for work that is spawned and not awaited.
#pragma once

#include <exception>
#include <string_view>
#include <system_error>

#include "rollcall/error.hpp"

namespace rollcall {

/// `ec == condition`, also for codes of Asio 1.22's own system category, which never compare equal to std::errc: their values are errno's.
inline bool means(const std::error_code& ec, std::errc condition) noexcept {
  return ec == condition || (ec.value() == static_cast<int>(condition) && std::string_view(ec.category().name()) == "asio.system");
}

/// `subject` names the work. The result is cancelled for a cancellation; the Failure of a ResolveError; limit_exceeded when memory ran out;
/// otherwise failed_precondition.
Failure failure_of_thrown(std::exception_ptr error, std::string_view subject);

/// limit_exceeded: the process has no memory left.
Failure out_of_memory(std::string_view subject);

}  // namespace rollcall
