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

}  // namespace rollcall
