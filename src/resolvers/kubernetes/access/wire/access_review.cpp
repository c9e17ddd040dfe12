#include "resolvers/kubernetes/access/wire/access_review.hpp"

#include <algorithm>

#include "json/json_dom.hpp"
#include "json/json_text.hpp"

namespace rollcall {

namespace {

std::vector<std::string> rule_texts(const boost::json::value& rule, std::string_view key) {
  std::vector<std::string> texts;
  const boost::json::value* const list = find(rule, key);
  if (!list || !list->is_array()) return texts;
  for (const boost::json::value& one : list->get_array()) {
    if (one.is_string()) texts.emplace_back(std::string_view(one.get_string()));
  }
  return texts;
}

bool names(const std::vector<std::string>& texts, std::string_view word) {
  return std::any_of(texts.begin(), texts.end(), [word](const std::string& text) { return text == word || text == "*"; });
}

}  // namespace

bool AccessRules::allows(std::string_view verb, std::string_view group, std::string_view resource) const {
  return std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
    return names(rule.verbs, verb) && names(rule.groups, group) && names(rule.resources, resource);
  });
}

std::string rules_question(std::string_view namespace_name) {
  std::string text = R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectRulesReview","spec":{"namespace":)";
  append_json_string(text, namespace_name);
  return text + "}}";
}

Result<AccessRules> parse_access_rules(std::string_view answer, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the review of rules", answer, limits);
  if (!document) return document.error();
  const boost::json::value* const status = find(document->root(), "status");
  const boost::json::value* const list = status ? find(*status, "resourceRules") : nullptr;
  if (!list || !list->is_array()) return Failure(Errc::malformed_response, "the review of rules has no status.resourceRules");
  AccessRules rules;
  const boost::json::value* const incomplete = find(*status, "incomplete");
  rules.is_incomplete = incomplete && incomplete->is_bool() && incomplete->get_bool();
  for (const boost::json::value& one : list->get_array()) {
    if (!rule_texts(one, "resourceNames").empty()) continue;
    AccessRules::Rule& rule = rules.rules.emplace_back();
    rule.verbs = rule_texts(one, "verbs");
    rule.groups = rule_texts(one, "apiGroups");
    rule.resources = rule_texts(one, "resources");
  }
  return rules;
}

std::string access_question(std::string_view verb, std::string_view namespace_name) {
  std::string text =
      R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":{"resource":"pods")";
  append_json_field(text, "verb", verb);
  if (!namespace_name.empty()) append_json_field(text, "namespace", namespace_name);
  return text + "}}}";
}

Result<bool> is_access_allowed(std::string_view answer, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the access review", answer, limits);
  if (!document) return document.error();
  const boost::json::value* const status = find(document->root(), "status");
  const boost::json::value* const allowed = status ? find(*status, "allowed") : nullptr;
  if (!allowed || !allowed->is_bool()) return Failure(Errc::malformed_response, "the access review does not say what is allowed");
  return allowed->get_bool();
}

}  // namespace rollcall
