#include "doctor/wire/permission_answers.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "json/json_dom.hpp"
#include "json/json_text.hpp"

namespace rollcall {

std::string iam_question(std::span<const std::string_view> permissions) {
  std::string text = R"({"permissions":[)";
  for (const std::string_view permission : permissions) {
    if (text.back() != '[') text += ',';
    append_json_string(text, permission);
  }
  return text + "]}";
}

Result<std::vector<std::string_view>> missing_permissions(std::string_view answer, std::span<const std::string_view> asked,
                                                          const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the list of permissions", answer, limits);
  if (!document) return document.error();
  if (!document->root().is_object()) return Failure(Errc::malformed_response, "the list of permissions is not an object");
  std::vector<std::string_view> missing(asked.begin(), asked.end());
  const boost::json::value* const granted = find(document->root(), "permissions");
  if (!granted) return missing;  // no permission
  if (!granted->is_array()) return Failure(Errc::malformed_response, "permissions is not a list");
  for (const boost::json::value& permission : granted->get_array()) {
    if (permission.is_string()) std::erase(missing, std::string_view(permission.get_string()));
  }
  return missing;
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
