// Finds which of several candidates this process is, by its environment. Pure. Both find_own_task() and `auto:` use it.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// A source and its value. An empty value is ignored.
class Claim {
 public:
  Claim() {}
  Claim(std::string from, std::string value) : source(std::move(from)), text(std::move(value)) {}
  std::string source;  ///< `TPU_WORKER_ID`
  std::string text;
};

/// A claim with the candidate that it identifies.
class PlacedClaim {
 public:
  PlacedClaim(std::string from, std::string in_words, std::size_t at) : source(std::move(from)), evidence(std::move(in_words)), place(at) {}
  std::string source;
  std::string evidence;  ///< `TPU_WORKER_ID=3`
  std::size_t place;
};

/// A task that may be this process.
class Candidate {
 public:
  Candidate() {}
  std::string label;               ///< `worker 3`
  std::vector<std::string> hosts;  ///< its known address and name; the port is ignored
};

class Candidates {
 public:
  Candidates() {}
  std::string from;  ///< the source of the list, for messages: `worker-network-endpoints`
  std::string noun;  ///< the text before a label in a sentence; may be empty
  std::vector<Candidate> list;
};

/// The result, and the evidence for it.
class SettledIndex {
 public:
  SettledIndex() {}
  std::size_t place = 0;
  std::string evidence;
};

class OwnIndex {
 public:
  /// `own`: the names and addresses of this machine. Of several from one source, one match suffices.
  OwnIndex(Candidates candidates, std::vector<Claim> own);

  /// The candidate that all `claims` agree on. There must be at least one claim. Errors: conflict (two claims differ, or the own names and
  /// addresses of a source belong to other candidates).
  Result<SettledIndex> settle(const std::vector<PlacedClaim>& claims) const;
  /// The only candidate with a name or an address of this machine; none if no candidate has one. Errors: not_found (several have one).
  Result<std::optional<SettledIndex>> find_by_host() const;

  /// A failure with the text `what`, followed by the candidates and this machine's names.
  Failure fail(Errc code, const std::string& what) const;

 private:
  // An own name or address, and the candidates that match it.
  class OwnHost {
   public:
    Claim claim;
    std::vector<std::size_t> places;
  };

  std::string name_of(std::size_t place) const { return candidates_.noun + candidates_.list[place].label; }
  std::string names_of(const std::vector<std::size_t>& places) const;

  Candidates candidates_;
  std::vector<OwnHost> own_;
};

/// A number of processes by a launcher. `low` and `high` differ if it is not final yet, as in torchrun's `2:4`.
class DeclaredCount {
 public:
  DeclaredCount() {}
  bool is_fixed() const noexcept { return low == high; }
  std::string source;
  int low = 0;
  int high = 0;
};

/// True if the variable is set, and not empty.
bool is_set(const Environment& environment, std::string_view name);

/// Why Slurm's rank and node are not those of this process: it is an allocation's script or shell, or inherits the variables of a step that
/// is another process's. Empty: nothing speaks against them.
std::string why_outside_step(const Environment& environment);

/// No launcher counts more processes.
inline constexpr int max_declared_count = 1'048'576;

/// The number in a variable; none if it is not set or empty. Errors: invalid_argument naming it.
Result<std::optional<int>> number_variable(const Environment& environment, std::string_view name, int low, int high);
/// The first of `names` that is set; for PET_NNODES also `MIN:MAX`. Errors: invalid_argument naming it, unless it is from 1 to `max`.
Result<std::optional<DeclaredCount>> count_variable(const Environment& environment, std::initializer_list<std::string_view> names, int max);

}  // namespace rollcall
