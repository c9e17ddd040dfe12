// Which checks of a host are asked for, and the values that are expected of it. No I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// A folder that is checked: `disk:/scratch=200G`, `mount:/data`.
class FolderCheck {
 public:
  FolderCheck() {}
  std::string path;            ///< absolute
  std::uint64_t bytes = 0;     ///< that must be free; 0: none
  bool is_mount = false;       ///< something must be mounted there
  std::string name() const { return (is_mount ? "mount:" : "disk:") + path; }  ///< of the check
};

/// A number at least; without `bytes` it must be unlimited.
class LimitCheck {
 public:
  LimitCheck() {}
  explicit LimitCheck(std::optional<std::uint64_t> at_least) : least(at_least) {}
  std::optional<std::uint64_t> least;
};

/// A value that the host must have: `expect:driver=580.159.04`.
class ExpectedFact {
 public:
  ExpectedFact() {}
  ExpectedFact(std::string fact_name, std::string text) : name(std::move(fact_name)), value(std::move(text)) {}
  std::string name;
  std::string value;
};

/// A command whose verdict on the host counts: `dcgmi diag -r 1 -j`, `nhc`, `nagios:CMD`; or a daemon: `nvhcd:unix:///PATH`.
class VerdictSource {
 public:
  VerdictSource() {}
  static constexpr std::size_t max_sources = 8;
  /// `nagios:` in front: its exit codes are those of Nagios' plugins. `nvhcd:` in front of a socket's address, and of further arguments for
  /// the check of that daemon, separated by spaces [facts: nvhcd]. Errors: invalid_argument.
  static Result<VerdictSource> parse(std::string_view text);
  /// Errors: invalid_argument, also for more than max_sources.
  static Result<std::vector<VerdictSource>> parse_all(std::span<const std::string> texts);
  std::string command;  ///< for `sh -c`; of nvhcd: its address and the further arguments
  std::string name;  ///< of its program, `dcgmi`: its findings are of the check `others/dcgmi`
  bool is_nagios = false;
  std::string socket;  ///< of nvhcd, absolute; empty: it is a command
  std::vector<std::string> arguments;  ///< of nvhcd's check
};
/// What the check's name of a finding by another program begins with.
inline constexpr std::string_view others_prefix = "others/";

class HostChecks {
 public:
  /// All that need no argument.
  HostChecks();
  /// The words of --checks: `quick`, `full` (with those that take seconds, of which `bandwidth` is of a cluster), names of checks, `-NAME`,
  /// and items with a value. Without a set or a name among them the checks are those of `quick`. Errors: invalid_argument.
  static Result<HostChecks> parse(std::span<const std::string> words);
  /// The names of checks that need no argument.
  static std::span<const std::string_view> names() noexcept;
  /// What an item with a value begins with, for completions: `disk:`, `shm=`.
  static std::span<const std::string_view> prefixes() noexcept;
  /// The names of facts that `expect:` takes.
  static std::span<const std::string_view> fact_names() noexcept;

  bool wants(std::string_view check) const { return wanted_.contains(check); }
  /// True if any of the facts is expected.
  bool expects(std::initializer_list<std::string_view> facts) const;

  std::vector<FolderCheck> folders;
  std::vector<std::uint16_t> ports;  ///< that must be free to listen on
  std::optional<std::uint64_t> shm_bytes;  ///< the size that /dev/shm must have
  std::optional<LimitCheck> open_files;
  std::optional<LimitCheck> locked_memory;
  std::vector<ExpectedFact> expected;
  std::vector<VerdictSource> others;  ///< at most VerdictSource::max_sources

 private:
  Result<void> add_item(std::string_view word);
  std::set<std::string, std::less<>> wanted_;
};

}  // namespace rollcall
