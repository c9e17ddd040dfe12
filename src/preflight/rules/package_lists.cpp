#include "preflight/rules/package_lists.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/order.hpp"
#include "base/text.hpp"
#include "preflight/rules/judgement.hpp"

namespace rollcall::preflight {
namespace {

constexpr std::size_t max_lists = 8;
constexpr std::size_t max_list_bytes = std::size_t{32} << 10;  // half of a report
constexpr std::size_t max_named_packages = 8;

// The versions of each package: a folder may have several.
using PackageVersions = std::map<std::string_view, std::vector<std::string_view>>;

PackageVersions versions_of(const std::vector<std::string>& packages) {
  PackageVersions versions;
  for (const std::string_view package : packages) {
    const std::size_t dash = std::min(package.find('-'), package.size());
    versions[package.substr(0, dash)].push_back(package.substr(std::min(dash + 1, package.size())));
  }
  for (auto& [name, of_name] : versions) std::sort(of_name.begin(), of_name.end());
  return versions;
}

std::string versions_text(const std::vector<std::string_view>& versions) {
  return printable(fmt::format("{}", fmt::join(versions, " and ")), 60);
}

}  // namespace

std::vector<std::size_t> members_to_ask_for_packages(const PreflightEvidence& evidence) {
  std::map<std::string, std::vector<std::size_t>> by_value;
  for (std::size_t i = 0; i < evidence.members.size(); ++i) {
    const std::string value = fact_value(evidence.members[i], packages_fact);
    if (evidence.members[i].state == EvidenceState::reported && !value.empty()) by_value[value].push_back(i);
  }
  if (by_value.size() < 2) return {};
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [value, members] : by_value) groups.push_back(std::move(members));
  sort_stably(groups, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < std::min(groups.size(), max_lists); ++i) asked.push_back(groups[i].front());
  std::sort(asked.begin(), asked.end());
  return asked;
}

bool fits_report(const std::vector<std::string>& packages) {
  constexpr std::size_t quotes_and_comma = 3;
  std::size_t bytes = 0;
  for (const std::string& package : packages) bytes += package.size() + quotes_and_comma;
  return bytes <= max_list_bytes;
}

PackageLists package_lists(const PreflightEvidence& evidence) {
  PackageLists lists;
  for (const EvidenceMember& member : evidence.members) {
    if (!member.packages.empty()) lists.emplace(fact_value(member, packages_fact), &member.packages);
  }
  return lists;
}

std::string package_difference(const std::vector<std::string>& own, const std::vector<std::string>& others) {
  const PackageVersions here = versions_of(own);
  const PackageVersions there = versions_of(others);
  std::vector<std::string> changed, missing, additional;
  for (const auto& [name, versions] : here) {
    const auto other = there.find(name);
    const std::string shown = fmt::format("{} {}", printable(name, 60), versions_text(versions));
    if (other == there.end()) {
      additional.push_back("also " + shown);
    } else if (other->second != versions) {
      changed.push_back(fmt::format("{}, not {}", shown, versions_text(other->second)));
    }
  }
  for (const auto& [name, versions] : there) {
    if (!here.contains(name)) missing.push_back(fmt::format("no {} {}", printable(name, 60), versions_text(versions)));
  }
  std::vector<std::string> all = std::move(changed);
  all.insert(all.end(), missing.begin(), missing.end());
  all.insert(all.end(), additional.begin(), additional.end());
  const std::size_t more = all.size() - std::min(all.size(), max_named_packages);
  all.resize(all.size() - more);
  return fmt::format("{}{}", fmt::join(all, "; "), more > 0 ? fmt::format("; {} more", more) : "");
}

}  // namespace rollcall::preflight
