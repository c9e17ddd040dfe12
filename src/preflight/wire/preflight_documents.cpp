#include "preflight/wire/preflight_documents.hpp"

#include <fmt/format.h>

#include "preflight/wire/evidence_fields.hpp"

namespace rollcall::preflight {
namespace {

class IncarnationDigits : public JsonText {
 public:
  static std::string read(std::string& slot, std::string_view text) {
    const bool is_hex = text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    if (text.size() != 16 || !is_hex) return fmt::format("is {}, not 16 hexadecimal digits", quoted(text, 64));
    slot = text;
    return {};
  }
};

class ClockOrNone : public Microseconds {
 public:
  static bool write(std::string& out, std::int64_t microseconds) { return microseconds > 0 && append_json_number(out, microseconds); }
};

/// A verdict, with what its own table only writes.
class SentVerdict {
 public:
  SentVerdict() {}
  bool passed = false;
  bool authenticated = false;
  PreflightVerdict verdict;
};

// clang-format off
constexpr auto probe_answer_fields = json_object<ProbeAnswer>(
    required(json_field<&ProbeAnswer::run, IncarnationDigits>("run")),
    required(json_field<&ProbeAnswer::members, CountOfMembers>("members")),
    required(json_field<&ProbeAnswer::place, MemberPlace>("place")),
    required(json_field<&ProbeAnswer::incarnation, IncarnationDigits>("incarnation")),
    json_field<&ProbeAnswer::clock_us, ClockOrNone>("clock_us"));
constexpr auto report_fields = json_object<MemberReport>(
    required(json_field<&MemberReport::incarnation, IncarnationDigits>("incarnation")),
    json_field<&MemberReport::order, OrderNumber>("order"),
    object_field<&MemberReport::member, evidence_member_fields>("member"));
constexpr auto order_fields = json_object<LeaderOrder>(
    required(json_field<&LeaderOrder::number, OrderNumber>("order")),
    json_field<&LeaderOrder::again, YesIfTrue>("again"),
    json_field<&LeaderOrder::packages, YesIfTrue>("packages"),
    json_field<&LeaderOrder::partner, MemberPlaceOrNone>("partner"),
    json_field<&LeaderOrder::sends, YesIfTrue>("sends"));
constexpr auto sent_verdict_fields = json_object<SentVerdict>(
    required(json_field<&SentVerdict::passed, YesOrNo>("passed")),
    json_field<&SentVerdict::authenticated, YesOrNo>("authenticated"),
    object_field<&SentVerdict::verdict, preflight_verdict_fields>("verdict"));
// clang-format on

std::string settle_verdict(SentVerdict& sent) {
  sent.verdict.passed = sent.passed;
  sent.verdict.authenticated = sent.authenticated;
  const bool is_whole = sent.verdict.members > 0 && sent.verdict.present == sent.verdict.members && !sent.verdict.has_failed();
  return sent.passed && !is_whole ? "passed, and names a failure or a member that is not there" : "";
}

constexpr JsonForm<ProbeAnswer> probe_answer_form = json_form<probe_answer_fields>("the answer of a member");
constexpr JsonForm<MemberReport> report_form = json_form<report_fields>("the report of a member");
constexpr JsonForm<LeaderOrder> order_form = json_form<order_fields>("an order of the member that leads");
constexpr JsonForm<SentVerdict> verdict_form = json_form<sent_verdict_fields, settle_verdict>("the verdict of a preflight");

}  // namespace

std::int64_t microseconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

std::string write_probe_answer(const ProbeAnswer& answer) { return to_json(probe_answer_fields, answer); }
Result<ProbeAnswer> read_probe_answer(std::string_view json) {
  ParseLimits limits;
  limits.max_text = max_report_bytes;
  return read_json(probe_answer_form, json.substr(0, json.find('\n')), limits);
}

std::string write_report(const MemberReport& report) { return to_json(report_fields, report); }
Result<MemberReport> read_report(std::string_view json, std::size_t members) {
  Result<MemberReport> report = read_json(report_form, json, ParseLimits());
  if (!report) return report;
  if (const std::string fault = member_fault(report->member, members); !fault.empty())
    return Failure(Errc::malformed_response, fmt::format("the report of a member: {}", fault));
  return report;
}

std::string write_order(const LeaderOrder& order) { return to_json(order_fields, order); }
Result<LeaderOrder> read_order(std::string_view json, std::size_t members) {
  Result<LeaderOrder> order = read_json(order_form, json, ParseLimits());
  if (order && (order->number == 0 || order->partner >= static_cast<int>(members)))
    return Failure(Errc::malformed_response, "an order of the member that leads: it has no number, or names no member");
  return order;
}

std::string write_verdict(const PreflightVerdict& verdict) {
  SentVerdict sent;
  sent.passed = verdict.passed;
  sent.authenticated = verdict.authenticated;
  sent.verdict = verdict;
  return to_json(sent_verdict_fields, sent);
}
Result<PreflightVerdict> read_verdict(std::string_view json) {
  Result<SentVerdict> sent = read_json(verdict_form, json, ParseLimits());
  if (!sent) return sent.error();
  return std::move(sent->verdict);
}

}  // namespace rollcall::preflight
