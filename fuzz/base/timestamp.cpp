// Dates and delays: parsed values can be written and parsed again.
#include "base/timestamp.hpp"

#include "call/rules/google_error.hpp"
#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const WallTime now(std::chrono::hours(24 * 365 * 56));
  if (const auto time = parse_rfc3339(text)) require(parse_rfc3339(format_rfc3339(*time)) == time);
  if (const auto time = parse_http_date(text, now)) require(parse_http_date(format_http_date(*time), now) == time);
  for (const auto delay : {parse_retry_after(text, now), parse_proto_duration(text)}) {
    if (delay) require(delay->count() >= 0 && *delay <= max_server_delay);
  }
  return 0;
}
