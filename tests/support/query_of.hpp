// The query of a request.
#pragma once

#include <string>
#include <string_view>

#include "base/url.hpp"
#include "rollcall/http.hpp"

namespace rollcall::testing {

/// The decoded value of a key in the query of a request's target.
inline std::string query_of(const HttpRequest& request, std::string_view key) {
  const std::string& target = request.url.target;
  const std::size_t at = target.find(std::string(key) + "=");
  if (at == std::string::npos) return {};
  const std::string value = target.substr(at + key.size() + 1);
  return *percent_decode(value.substr(0, value.find('&')));
}

}  // namespace rollcall::testing
