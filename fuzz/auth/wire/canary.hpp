// Replaces the secrets of the input by a known one: no message may show it.
#pragma once

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "check.hpp"

namespace rollcall {

inline constexpr std::string_view canary = "canary-0123456789-secret";

inline void put_canary(boost::json::value& value, std::initializer_list<std::string_view> names) {
  if (boost::json::array* array = value.if_array()) {
    for (boost::json::value& element : *array) put_canary(element, names);
  }
  if (boost::json::object* object = value.if_object()) {
    for (auto& member : *object) {
      const bool is_secret = std::find(names.begin(), names.end(), std::string_view(member.key())) != names.end();
      if (is_secret && member.value().is_string()) {
        member.value() = canary;
      } else {
        put_canary(member.value(), names);
      }
    }
  }
}

/// The JSON with the canary in every text of one of these names, or the canary and the text if it is no JSON. Nothing if the input already
/// contains the canary, perhaps where a message may quote from: fuzzers learn such words. Its first letter may be missing then: a message
/// shows the escape `\f` before the rest as `\x0c`; and hosts are shown in lower case.
inline std::optional<std::string> with_canary(std::string_view text, std::initializer_list<std::string_view> names) {
  std::error_code error;
  boost::json::value document = boost::json::parse(boost::json::string_view(text.data(), text.size()), error);
  const std::string before = to_lower(error ? std::string(text) : boost::json::serialize(document));
  if (before.find(canary.substr(1)) != std::string::npos) return std::nullopt;
  if (error) return std::string(canary).append(text);
  put_canary(document, names);
  return boost::json::serialize(document);
}

/// Checks that `parse` shows nothing of the secrets.
template <class Parse>
void require_hidden(std::string_view text, std::initializer_list<std::string_view> names, Parse parse) {
  const std::optional<std::string> marked = with_canary(text, names);
  if (!marked) return;
  const auto result = parse(std::string_view(*marked));
  require_sane(result);
  if (!result) require(Failure(result.error()).message().find(canary) == std::string::npos);
}

}  // namespace rollcall
