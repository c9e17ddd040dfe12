// The `filter` parameter of Compute Engine's lists.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "sim/model/model.hpp"

namespace rollcall::sim {

/// `(name = "a") OR (name = "b")`, `status != STOPPED AND labels.team:*`, `name eq 'worker-.*'`. Comparisons are `=`, `!=` (numbers and
/// booleans by their text), `:` (has it; `*` any), and the older `eq` and `ne`, whose value is a regular expression for the whole text;
/// the two styles do not go together. Comparisons side by side are joined by AND; NOT and a leading `-` negate.
class ComputeFilter {
 public:
  /// None for a text that is no filter, or whose regular expression is more than a SimplePattern.
  static std::optional<ComputeFilter> parse(std::string_view text);
  bool matches(const json::value& resource) const;
  /// Whether everything matches.
  bool is_open() const { return !root_; }

  class Node;

 private:
  std::shared_ptr<const Node> root_;  // null: everything matches
};

}  // namespace rollcall::sim
