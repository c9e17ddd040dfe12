// The `filter` parameter of Compute Engine's lists, and the regular expressions in it.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "sim/model/model.hpp"

namespace rollcall::sim {

/// Literal characters, `.`, `[a-z0-9]`, `[^x]`, `\.`, each with `*`, `+`, `?` or none behind it, and `|` between alternatives.
class SimplePattern {
 public:
  /// None for a text that is none of these: groups, counted repetition, anchors and the like.
  static std::optional<SimplePattern> parse(std::string_view text);
  /// Whether the whole text matches.
  bool matches(std::string_view text) const;

 private:
  std::shared_ptr<const void> compiled_;
};

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
