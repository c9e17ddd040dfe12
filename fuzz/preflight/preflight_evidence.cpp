// Fuzz target: the evidence of a preflight, which may come from another machine, and its judge.
#include "rollcall/preflight_evidence.hpp"
#include "check.hpp"
#include "render/render_preflight.hpp"

using namespace rollcall;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<PreflightEvidence> evidence = PreflightEvidence::from_json(text);
  require_sane(evidence);
  if (!evidence) return 0;
  const std::string written = evidence->to_json();
  const Result<PreflightEvidence> again = PreflightEvidence::from_json(written);
  require(again && again->members.size() == evidence->members.size());  // texts of control characters grow where they are shown
  // The judge is quadratic, and other tests judge large clusters.
  if (evidence->members.size() > 64) return 0;
  const PreflightVerdict verdict = judge_preflight(*evidence);
  require(judge_preflight(*evidence) == verdict && judge_preflight(*again).passed == verdict.passed);
  require(!verdict.passed || (verdict.present == verdict.members && !verdict.has_failed()));
  require(verdict.findings.size() <= 1000 && verdict.pairs_tested <= verdict.pairs_expected);
  require(!render_preflight_text("preflight", verdict).empty() && !render_preflight_json(verdict).empty());
  return 0;
}
