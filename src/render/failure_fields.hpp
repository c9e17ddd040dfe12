// A failure as JSON: the table by which it is written, and read by a service's client.
#pragma once

#include <limits>
#include <string>

#include "json/json_fields.hpp"
#include "json/json_values.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// A code. `cancelled` is not read: only the client itself cancels its calls.
class FailureCode : public WordOf<Errc, 24, "kind of failure", 1> {
 public:
  static_assert(static_cast<int>(Errc::invalid_argument) == 1 && static_cast<int>(Errc::deadline_exceeded) == 24);
  static std::string read(Errc& slot, std::string_view word) {
    std::string complaint = WordOf::read(slot, word);
    return complaint.empty() && slot == Errc::cancelled ? complain(word) : complaint;
  }
};
using FailureText = PrintableText<4096>;
using FailurePhase = WordOf<Phase, static_cast<std::size_t>(Phase::overall) + 1, "phase of a request">;
using FailureCount = NumberUpTo<std::numeric_limits<int>::max(), "out of range">;

// clang-format off
inline constexpr auto failure_fields = json_object<Failure>(
    required(json_field<json_property<&Failure::code, &Failure::with_code>, FailureCode>("code")),
    required(json_field<json_property<&Failure::what, &Failure::with_what>, FailureText>("message")),
    json_field<json_property<&Failure::hint, &Failure::with_hint>, FailureText>("hint"),
    json_field<json_property<&Failure::target, &Failure::with_target>, FailureText>("asked"),
    json_field<json_property<&Failure::phase, &Failure::with_phase>, FailurePhase>("phase"),
    json_field<json_property<&Failure::attempts, &Failure::with_attempts>, FailureCount>("attempts"),
    json_field<json_property<&Failure::last_status, &Failure::with_last_status>, FailureCount>("http_status"),
    json_field<json_property<&Failure::elapsed, &Failure::with_elapsed>, AgeMilliseconds>("elapsed_ms"));
// clang-format on

}  // namespace rollcall
