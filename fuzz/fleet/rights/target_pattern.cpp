// Fuzz target: a pattern and a target, one a line. Checks that a target that is rendered again, or whose keys have another order, matches
// as before, and that the target has each key that a matching pattern names.
#include "fleet/rights/rules/target_pattern.hpp"

#include <algorithm>
#include <cstdint>

#include "check.hpp"
#include "fleet/wire/served_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  using namespace rollcall;
  using namespace rollcall::fleet;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  if (line == std::string::npos) return 0;
  const std::string pattern_text = text.substr(0, line);
  const Result<TargetPattern> pattern = TargetPattern::parse(pattern_text);
  const Result<Target> target = Target::parse(text.substr(line + 1));
  require_sane(pattern);
  if (!pattern || !target) return 0;
  const bool does = pattern->matches(*target);
  require(pattern->matches(canonical_target(*target)) == does);
  Target turned = *target;
  std::reverse(turned.options.begin(), turned.options.end());
  require(pattern->matches(turned) == does);
  require(pattern->matches(with_plain_name(*target)) == does);
  const Result<Target> again = Target::parse(target->to_text());
  require(again && pattern->matches(*again) == does);
  if (!does || pattern_text == "*") return 0;
  require(pattern_text.starts_with(target->scheme + ":"));
  const Target plain = with_plain_name(*target);
  for (const std::string_view key : {"project", "zone"}) {
    if (pattern_text.find("," + std::string(key) + "=") != std::string::npos) require(plain.get(key) && !plain.get(key)->empty());
  }
  return 0;
}
