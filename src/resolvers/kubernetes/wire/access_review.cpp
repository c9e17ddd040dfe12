#include "resolvers/kubernetes/wire/access_review.hpp"

#include "json/json_dom.hpp"
#include "json/json_text.hpp"

namespace rollcall {

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
