// Fuzz target: what the members of a preflight say to each other. What was read can be written and read again.
#include "preflight/wire/preflight_documents.hpp"

#include "check.hpp"

using namespace rollcall;
using namespace rollcall::preflight;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<ProbeAnswer> answer = read_probe_answer(text);
  require_sane(answer);
  if (answer) {
    const std::string written = write_probe_answer(*answer);
    const Result<ProbeAnswer> again = read_probe_answer(written);
    require(again && write_probe_answer(*again) == written && answer->clock_us >= 0);
  }
  constexpr std::size_t members = 4;
  const Result<MemberReport> report = read_report(text, members);
  require_sane(report);
  if (report) {
    require(member_fault(report->member, members).empty());
    require_sane(read_report(write_report(*report), members));
  }
  const Result<LeaderOrder> order = read_order(text, members);
  require_sane(order);
  if (order) require(order->number > 0 && order->partner < static_cast<int>(members));
  const Result<PreflightVerdict> verdict = read_verdict(text);
  require_sane(verdict);
  if (verdict) require(!verdict->passed || !verdict->has_failed());
  return 0;
}
