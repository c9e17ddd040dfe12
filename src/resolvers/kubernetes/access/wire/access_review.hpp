// Reviews of one's own access. Source: kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-access-review-v1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// May the caller do `verb` to pods of the namespace (empty: of all of them)?
std::string access_question(std::string_view verb, std::string_view namespace_name);
/// Errors: malformed_response.
Result<bool> is_access_allowed(std::string_view answer, const ParseLimits& limits);

/// What the caller may do in a namespace, and to objects of no namespace.
class AccessRules {
 public:
  AccessRules() {}
  class Rule {
   public:
    Rule() {}
    std::vector<std::string> verbs;
    std::vector<std::string> groups;
    std::vector<std::string> resources;
  };
  std::vector<Rule> rules;  ///< without those for single objects
  bool is_incomplete = false;  ///< the server says that more may be allowed than it lists

  /// `group` is empty for the core's. `*` of a rule stands for all.
  bool allows(std::string_view verb, std::string_view group, std::string_view resource) const;
};

/// What may the caller do in the namespace?
std::string rules_question(std::string_view namespace_name);
/// Errors: malformed_response, limit_exceeded.
Result<AccessRules> parse_access_rules(std::string_view answer, const ParseLimits& limits);

}  // namespace rollcall
