// How options for the checks of a host are stored.
#pragma once

#include <string>

#include "command/arguments/option_stores.hpp"
#include "rollcall/host_checks.hpp"

namespace rollcall::command {

inline Result<void> append_checks(Arguments& a, const std::string& value) {
  Result<void> fine = append_list<&Arguments::checks>(a, value);
  if (fine) {
    const Result<HostChecks> checks = HostChecks::parse(a.checks);
    if (!checks) fine = checks.error();
  }
  return fine;
}

inline Result<void> append_verdict_source(Arguments& a, const std::string& value) {
  Result<void> fine = append_text<&Arguments::verdict_from>(a, value);
  if (fine) {
    const Result<std::vector<VerdictSource>> others = VerdictSource::parse_all(a.verdict_from);
    if (!others) fine = others.error();
  }
  return fine;
}

}  // namespace rollcall::command
