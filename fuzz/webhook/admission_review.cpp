// Fuzz target: the review that an API server sends, and the answer to it, whose patch is JSON.
#include "webhook/wire/admission_review.hpp"

#include "check.hpp"
#include "json/json_dom.hpp"
#include "webhook/wait_reviews.hpp"

using namespace rollcall;
using namespace rollcall::webhook;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<AdmissionRequest> request = read_admission_review(text);
  require_sane(request);
  if (!request) return 0;
  for (const bool refuses_faulty : {true, false}) {
    const AdmissionAnswer answer = WaitReviews("image", refuses_faulty, {}).judge(*request);
    require(answer.uid == request->uid && (answer.patch.empty() || (answer.refusal.empty() && answer.warning.empty())));
    require(answer.patch.empty() || JsonDocument::parse("the patch", answer.patch).has_value());
    require(JsonDocument::parse("the answer", write_admission_review(answer)).has_value());
  }
  return 0;
}
