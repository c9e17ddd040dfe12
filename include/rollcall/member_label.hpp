// Parses the labels of members: `worker 3 (10.0.0.3:8470)`, `worker 17-65535`. Pure.
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

/// The members that `label` names. An address at the end is ignored. None: this is no label.
std::optional<LabelledPlaces> read_member_label(std::string_view label);

}  // namespace rollcall
