#include "json/json_members.hpp"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>

#include "json/json_dom.hpp"

namespace rollcall {

Result<std::vector<std::pair<std::string, std::string>>> json_members(std::string_view document, std::string_view text) {
  const Result<JsonDocument> parsed = JsonDocument::parse(document, text);
  if (!parsed) return parsed.error();
  if (!parsed->root().is_object())
    return Failure(Errc::invalid_argument, fmt::format("{} is {}, not an object", document, kind_name(parsed->root())));
  std::vector<std::pair<std::string, std::string>> members;
  for (const boost::json::key_value_pair& member : parsed->root().get_object())
    members.emplace_back(std::string(std::string_view(member.key())), boost::json::serialize(member.value()));
  return members;
}

}  // namespace rollcall
