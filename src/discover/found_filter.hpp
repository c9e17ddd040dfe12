// What a search shall show: `state=READY`, `type=v4-*+v5p-*`, `name!=test-*`. Pure.
#pragma once

#include <string>
#include <vector>

#include "rollcall/discover.hpp"

namespace rollcall {

class FoundFilter {
 public:
  FoundFilter() {}
  /// All of `texts` must hold. Errors: invalid_argument naming the nearest key on a misspelling.
  static Result<FoundFilter> parse(const std::vector<std::string>& texts);
  bool matches(const Found& found) const;
  /// False when no find of that kind can match: it need not be asked for.
  bool admits(FoundKind kind) const;
  /// True when a term asks for that kind by its name.
  bool names(FoundKind kind) const;

 private:
  enum class Key { kind, name, project, zone, namespace_name, state, health, type, queued_resource };
  class Term {
   public:
    Term() {}
    Key key = Key::name;
    bool is_negated = false;
    std::vector<std::string> patterns;
    bool holds(std::string_view value) const;
  };
  static Result<Term> parse_term(const std::string& text);
  std::vector<Term> terms_;
};

}  // namespace rollcall
