// Failures for a body that is not valid JSON, or exceeds a limit.
#include "json/json_sax.hpp"

#include <fmt/format.h>

#include "json/memory_share.hpp"

namespace rollcall {
namespace {

Failure malformed(std::string_view document, std::string_view what) {
  return Failure(Errc::malformed_response, fmt::format("{} {}", document, what));
}

constexpr const char* other_service = "Check that the address is the service's own, and what stands in between.";

}  // namespace

Result<void> check_looks_like_json(std::string_view document, std::string_view body) {
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return malformed(document, "is empty, not JSON").with_hint(other_service);
  if (body[first] == '<') {
    return malformed(document, "is an HTML page, not JSON")
        .with_hint("A proxy, a captive portal or a front end answered in the service's place.");
  }
  return {};
}

Failure json_failure(std::string_view document, const boost::json::error_code& error, std::size_t at, std::string_view start) {
  const Result<void> looks = check_looks_like_json(document, start);
  if (!looks) return looks.error();
  if (error == boost::json::error::too_deep) {
    return Failure(Errc::limit_exceeded, fmt::format("{} nests too deeply (at byte {})", document, at));
  }
  if (error == boost::json::error::incomplete) return malformed(document, fmt::format("is cut short after {} bytes", at));
  return malformed(document, fmt::format("is not JSON: {} at byte {}", error.message(), at)).with_hint(other_service);
}

Failure too_much_memory(std::string_view document, const MemoryShare& share) {
  return Failure(Errc::limit_exceeded,
                 fmt::format("{} would take over {} bytes of memory, together with what else is being read", document, share.limit()))
      .with_hint("see what answers there, or ask for less at a time; a program may raise Limits::max_memory_bytes");
}

}  // namespace rollcall
