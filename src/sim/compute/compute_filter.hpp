// The `filter` parameter of Compute Engine's lists, and the regular expressions in it.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "sim/model/model.hpp"

namespace rollcall::sim {

/// A regular expression of literal characters, `.`, `[a-z0-9]`, `[^x]`, `\.`, each optionally with `*`, `+` or `?`, and `|` between
/// alternatives.
class SimplePattern {
 public:
  /// None for a text outside this syntax: groups, counted repetition, anchors and the like.
  static std::optional<SimplePattern> parse(std::string_view text);
  /// True if the whole text matches.
  bool matches(std::string_view text) const;

 private:
  std::shared_ptr<const void> compiled_;
};

/// `(name = "a") OR (name = "b")`, `status != STOPPED AND labels.team:*`, `name eq 'worker-.*'`. Comparisons are `=`, `!=` (numbers and
/// booleans by their text), `:` (has it; `*` any), and the older `eq` and `ne`, whose value is a regular expression for the whole text.
/// The two styles cannot be mixed. Adjacent comparisons are joined by AND; NOT and a leading `-` negate.
class ComputeFilter {
 public:
  /// None for an invalid filter, or for a regular expression that SimplePattern does not support.
  static std::optional<ComputeFilter> parse(std::string_view text);
  bool matches(const json::value& resource) const;
  /// True if every resource matches.
  bool is_open() const { return !root_; }

  class Node;

 private:
  std::shared_ptr<const Node> root_;  // null: everything matches
};

}  // namespace rollcall::sim
