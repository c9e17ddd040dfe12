// Which of several candidates this process is, by what its surroundings say. Pure. The one mechanism behind find_own_task() and `auto:`.
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

/// A source and what it says. An empty text says nothing.
class Claim {
 public:
  Claim() {}
  Claim(std::string from, std::string value) : source(std::move(from)), text(std::move(value)) {}
  std::string source;  ///< `TPU_WORKER_ID`
  std::string text;
};

/// A claim that was understood: which candidate it means.
class PlacedClaim {
 public:
  PlacedClaim(std::string from, std::string in_words, std::size_t at) : source(std::move(from)), evidence(std::move(in_words)), place(at) {}
  std::string source;
  std::string evidence;  ///< `TPU_WORKER_ID=3`
  std::size_t place;
};

/// One of those that this process may be.
class Candidate {
 public:
  Candidate() {}
  std::string label;               ///< `worker 3`
  std::vector<std::string> hosts;  ///< its address and its name, as far as they are known; a port does not matter
};

class Candidates {
 public:
  Candidates() {}
  std::string from;  ///< what lists them, for messages: `worker-network-endpoints`
  std::string noun;  ///< what stands before a label in a sentence, if anything
  std::vector<Candidate> list;
};

/// What was settled, and by what.
class SettledIndex {
 public:
  SettledIndex() {}
  std::size_t place = 0;
  std::string evidence;
};

class OwnIndex {
 public:
  /// `own`: the names and addresses of this machine. Those of one source belong together: one of them is enough.
  OwnIndex(Candidates candidates, std::vector<Claim> own);

  /// What `claims`, of which there is one at least, agree on. Errors: conflict (two of them differ; or the own names and addresses of a
  /// source belong to other candidates).
  Result<SettledIndex> settle(const std::vector<PlacedClaim>& claims) const;
  /// The only candidate with a name or an address of this machine; none if no candidate has. Errors: not_found (several have).
  Result<std::optional<SettledIndex>> find_by_host() const;

  /// A failure with the candidates and what this machine is called behind `what`.
  Failure fail(Errc code, const std::string& what) const;

 private:
  // An own name or address, and the candidates that have it.
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

/// How many there are, as a launcher says. `low` and `high` differ where it is not settled yet, as in torchrun's `2:4`.
class DeclaredCount {
 public:
  DeclaredCount() {}
  bool is_fixed() const noexcept { return low == high; }
  std::string source;
  int low = 0;
  int high = 0;
};

/// A variable that is a number; none where it is not set or empty. Errors: invalid_argument naming it.
Result<std::optional<int>> number_variable(const Environment& environment, std::string_view name, int low, int high);
/// The first of `names` that is set; of PET_NNODES also `MIN:MAX`. Errors: invalid_argument naming it, for no number from 1 to `most`.
Result<std::optional<DeclaredCount>> count_variable(const Environment& environment, std::initializer_list<std::string_view> names, int max);

}  // namespace rollcall
