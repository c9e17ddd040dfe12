#include "base/exceptions.hpp"

#include <fmt/format.h>

#include <new>

#include "base/text.hpp"

namespace rollcall {

Failure out_of_memory(std::string_view subject) {
  return Failure(Errc::limit_exceeded, fmt::format("{}: the process ran out of memory", subject))
      .with_hint("give it more memory, or ask for less at a time");
}

Failure failure_of_thrown(std::exception_ptr error, std::string_view subject) {
  try {
    std::rethrow_exception(std::move(error));
  } catch (const ResolveError& thrown) {
    return thrown.failure();
  } catch (const std::bad_alloc&) {
    return out_of_memory(subject);
  } catch (const std::system_error& thrown) {
    if (means(thrown.code(), std::errc::operation_canceled)) return Failure(Errc::cancelled, fmt::format("{}: cancelled", subject));
    return Failure(Errc::unreachable, fmt::format("{}: {}", subject, thrown.code().message()));
  } catch (const std::exception& thrown) {
    return Failure(Errc::failed_precondition, fmt::format("{}: {}", subject, printable(thrown.what(), 300)));
  } catch (...) {
    return Failure(Errc::failed_precondition, fmt::format("{}: an unknown exception", subject));
  }
}

}  // namespace rollcall
