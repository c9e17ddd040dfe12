// The labels of members, read back: `worker 3 (10.0.0.3:8470)`, `worker 17-65535`. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace rollcall {

/// The members that a label names: those of `job` from index `first` to `last`.
class LabelledPlaces {
 public:
  LabelledPlaces() {}
  std::string_view job;
  int first = 0;
  int last = 0;
};

/// What `label` names. The address, which may come later, is left out. None: this is no label.
std::optional<LabelledPlaces> read_member_label(std::string_view label);

}  // namespace rollcall
