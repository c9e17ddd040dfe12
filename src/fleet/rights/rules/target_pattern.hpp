// Patterns of targets, by which a service's settings say what may be named and read: `tpu:*,project=p,zone=us-*`, `kubernetes:train`, `*`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

/// What a target is compared by is its parts, not its text, and its parts are what its resolver goes by:
/// - The scheme is exactly the pattern's.
/// - The name matches the pattern's, where `*` stands for any text, slashes included: `tpu:*` is every TPU and every queued resource,
///   `tpu:qr/*` every queued resource, `tpu:train-*` none. A full name counts as its last part, and gives project and zone where the keys
///   do not. Each of a `dns:` target's names must match, without its port, in small letters.
/// - Each key of the pattern must be there, with at least one item, and each of its items must match one of the pattern's (`zone=a+b-*`).
///   Keys that the pattern does not name are free, but a region: it stands in the place of the zone that a pattern names.
/// - `,*` at the end says so for the reader, and nothing else. The pattern `*` alone matches every target.
/// Letters are compared as they are: a spelling that the pattern does not have is not matched.
class TargetPattern {
 public:
  /// Errors: invalid_argument, saying what is wrong; keys that no service answers for are among it, since nothing would match them.
  static Result<TargetPattern> parse(std::string_view text);

  bool matches(const Target& target) const;
  /// True if it says anything of the name, so that it may let `dns:` targets be named.
  bool names_something() const noexcept;

 private:
  TargetPattern() {}
  bool is_for_all_ = false;
  Target form_;
};

/// True if the targets of the scheme are named by host names (SchemeRules::names_hosts).
bool names_hosts(std::string_view scheme);

/// The target with its full name taken apart: the name alone, project and zone as keys. Those that the keys give already stay, as
/// resolvers have it.
Target with_plain_name(Target target);

/// True if one of them matches.
bool matches_any(const std::vector<TargetPattern>& patterns, const Target& target);

}  // namespace rollcall::fleet
