// The table of target schemes: used by make_resolver, the command's help, its completions and its man page.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "rollcall/resolver.hpp"
#include "rollcall/target.hpp"

namespace rollcall {

/// A key of a target, as in `tpu:trainer,zone=us-central2-b`.
class TargetKey {
 public:
  std::string_view name;
  std::string_view meaning;  ///< one line, with the default
  /// It names a file that is read, or a server that may receive a token: its author needs the same trust as the author of the command line.
  bool needs_trust = false;
};

/// One kind of target. Programs add their own rows: see make_resolver below. The views must outlive the row.
class TargetScheme {
 public:
  /// Called with a target of this scheme whose keys are known ones. Errors: invalid_argument.
  using Maker = Result<std::shared_ptr<ClusterResolver>> (*)(Runtime runtime, const Target& target);

  std::string_view name;  ///< without the colon
  std::string_view synopsis;  ///< `tpu:NAME[,project=P][,zone=Z]`
  std::string_view summary = {};  ///< one line
  std::string_view example = {};
  std::span<const TargetKey> keys = {};
  bool takes_jobs = false;  ///< `job.NAME=a+b`
  bool name_needs_trust = false;  ///< as TargetKey::needs_trust for keys: the name is a file's path
  Maker make = nullptr;  ///< must be given
};

/// The library's own, in the order in which help shows them.
std::span<const TargetScheme* const> target_schemes();

/// The library's own scheme of that name; null: there is none.
const TargetScheme* find_scheme(std::string_view name) noexcept;

/// Checks that the scheme has all of the target's keys. Errors: invalid_argument naming the key and the nearest valid one.
[[nodiscard]] Result<void> check_keys(const Target& target, const TargetScheme& scheme);

/// Checks that the target may be accepted from an author with less trust than the author of the command line: nothing in it needs trust.
/// Errors: refused_by_policy naming the first key that does.
[[nodiscard]] Result<void> check_needs_no_trust(const Target& target, const TargetScheme& scheme);

/// As make_resolver(runtime, target) of resolver.hpp; the rows of `own` come first. Errors: invalid_argument, naming the
/// nearest scheme or key on a misspelling; also for a row without a maker, and where the maker returns null.
Result<std::shared_ptr<ClusterResolver>> make_resolver(Runtime runtime, std::string_view target, std::span<const TargetScheme> own);
/// The same for a target that is already parsed.
Result<std::shared_ptr<ClusterResolver>> make_resolver(Runtime runtime, const Target& target, std::span<const TargetScheme> own = {});

}  // namespace rollcall
