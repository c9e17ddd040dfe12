// An error body under the status in its first two bytes, and its classification.
#include "call/rules/classify_status.hpp"

#include "auth/rules/token_service.hpp"
#include "check.hpp"
#include "google/rules/metadata_service.hpp"
#include "resolvers/gce/rules/compute_service.hpp"
#include "resolvers/tpu/rules/tpu_service.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size < 2) return 0;
  const int status = 100 + (data[0] * 256 + data[1]) % 500;
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  const GoogleError error = parse_google_error(status, "application/json", body);
  require_printable(describe(error));
  require(describe(error).size() < 4096);
  if (error.retry_delay) require(error.retry_delay->count() >= 0);
  for (const Service* const service : {&tpu_service, &compute_service, &metadata_service, &token_service, &other_service}) {
    const StatusVerdict verdict = classify_status(status, error, *service);
    require((verdict.attempt_class == AttemptClass::success) == (status >= 200 && status < 300));
    require_printable(verdict.hint);
  }
  return 0;
}
