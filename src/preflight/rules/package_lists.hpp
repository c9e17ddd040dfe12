// Which packages differ between members, by the lists of those that were asked for theirs. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/preflight_evidence.hpp"

namespace rollcall::preflight {

/// The fact by which lists of packages are compared: see package_digest().
inline constexpr std::string_view packages_fact = "packages";

/// The places of members whose lists show what differs: one for each of the eight most frequent values of that fact, in the order of
/// places. Empty: all have the same.
std::vector<std::size_t> members_to_ask_for_packages(const PreflightEvidence& evidence);

/// False: the list is too long to be reported, besides all else that a report has.
bool fits_report(const std::vector<std::string>& packages);

/// The lists that members have reported, by the value of the fact. They point into the evidence.
using PackageLists = std::map<std::string, const std::vector<std::string>*>;
PackageLists package_lists(const PreflightEvidence& evidence);

/// What is in one list and not in the other, both as EvidenceMember::packages: `numpy 1.26.4, not 2.1.0; no pandas 2.2.0; also
/// scipy 1.14.1; 3 more`. Empty: nothing.
std::string package_difference(const std::vector<std::string>& own, const std::vector<std::string>& others);

}  // namespace rollcall::preflight
