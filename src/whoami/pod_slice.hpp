// In which of several TPU slices this process is, and how many its number is one of.
#pragma once

#include <optional>

#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"
#include "rollcall/whoami.hpp"
#include "whoami/own_index.hpp"

namespace rollcall {

/// Which of several TPU slices this process is in, by the variables of its pod.
class PodSlice {
 public:
  PodSlice() {}
  int slices = 1;
  std::optional<int> index;            ///< none: MEGASCALE_SLICE_ID is not set
  std::optional<DeclaredCount> hosts;  ///< of each slice, by the list that its pods get; none: there is no list
};

/// Errors: invalid_argument naming the variable.
Result<PodSlice> read_pod_slice(const Environment& environment);

/// How many the testimony's rank is one of; none: nothing says. The numbers of a slice's pods are below that of its hosts.
std::optional<DeclaredCount> count_of(const Testimony& said, const PodSlice& slice);

}  // namespace rollcall
