// The JSON in which NVIDIA's tools print their verdicts. Texts are theirs, as long as the document at most. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "json/json_dom.hpp"

namespace rollcall {

/// The texts of a list, or a text: a member's. Others in the list are left out, but objects that have one as `warning`.
std::string joined_in(const boost::json::value& object, std::string_view key, std::string_view separator);

enum class VerdictLevel { fine, warning, bad };

/// One thing that a tool says.
class VerdictPart {
 public:
  VerdictPart() {}
  VerdictPart(VerdictLevel how, std::string words, std::string of_device)
      : level(how), text(std::move(words)), device(std::move(of_device)) {}
  VerdictLevel level = VerdictLevel::fine;
  std::string text;
  std::string device;  ///< empty: of the host
};

/// Of Health Validation: the member by which its verdict is known [facts: health-validation].
inline constexpr std::string_view health_severity = "overall_severity";

class HealthVerdict {
 public:
  HealthVerdict() {}
  std::string fault;  ///< what is wrong with the document; empty: nothing
  VerdictLevel level = VerdictLevel::fine;
  std::string word;  ///< `CRITICAL`
  std::vector<VerdictPart> parts;
};
HealthVerdict read_health_verdict(const boost::json::value& root);

/// Of DCGM's diagnostic, today's and the older one: the members by which it is known [facts: dcgm-diag].
inline constexpr std::array<std::string_view, 2> diagnostic_keys = {"DCGM Diagnostic", "DCGM GPU Diagnostic"};

/// The verdicts of `dcgmi diag -j` in a document: with `--iterations` one of each. Empty: it is none.
std::vector<const boost::json::value*> find_diagnostics(const boost::json::value& root);

class DiagnosticVerdict {
 public:
  DiagnosticVerdict() {}
  std::string fault;         ///< why there is none; empty: there is one
  std::size_t executed = 0;  ///< results of tests that were not skipped
  std::vector<VerdictPart> parts;
};
DiagnosticVerdict read_diagnostic_verdict(const std::vector<const boost::json::value*>& diagnostics);

}  // namespace rollcall
