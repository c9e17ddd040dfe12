// The verdicts of other programs on this host: what they print, and how they end, in the forms that are usual. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "rollcall/host_checks.hpp"
#include "rollcall/preflight_verdict.hpp"

namespace rollcall {

/// How the command of a VerdictSource ended. Of nvhcd `output` is the answer's bytes.
class CommandEnd {
 public:
  CommandEnd() {}
  CommandEnd(int code, std::string printed) : exit_code(code), output(std::move(printed)) {}
  int exit_code = 0;
  int signal = 0;       ///< that ended it; 0: none
  std::string output;   ///< its standard output
  std::string errors;   ///< its standard error
  std::string failure;  ///< why there is none of that, such as "did not end within 30 s"; empty: it ended by itself
};

/// What the command says, in its own words.
class OtherFinding {
 public:
  OtherFinding() {}
  OtherFinding(FindingSeverity how_bad, std::string words, std::string of_device = {})
      : severity(how_bad), text(std::move(words)), device(std::move(of_device)) {}
  FindingSeverity severity = FindingSeverity::failure;
  std::string text;    ///< printable, of one line, without what looks like a secret: "dcgmi says: memory failed: …"
  std::string device;  ///< `gpu 3`; empty: the host
  friend bool operator==(const OtherFinding&, const OtherFinding&) = default;
};

/// Of one command; of more findings the last one counts the rest.
inline constexpr std::size_t max_other_findings = 16;
inline constexpr std::size_t max_other_words = 300;
inline constexpr std::size_t max_other_device = 100;

/// Failures first, at most `most`. Empty: nothing is wrong. It is known by its form: JSON of NVIDIA's Health Validation, or of DCGM's
/// diagnostic; failed checks of NHC [facts: nhc]; where the source says so, the exit codes of Nagios [facts: nagios], or the answer of
/// nvhcd; else the exit code.
std::vector<OtherFinding> read_other_verdict(const VerdictSource& source, const CommandEnd& end, std::size_t most = max_other_findings);

}  // namespace rollcall
