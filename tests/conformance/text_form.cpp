#include "conformance/text_form.hpp"

#include <boost/json/serialize.hpp>

#include "base/text.hpp"

namespace rollcall::conformance {

std::string scalar_text(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_null()) return {};
  if (value.is_double() && value.get_double() == static_cast<double>(static_cast<std::int64_t>(value.get_double()))) {
    return std::to_string(static_cast<std::int64_t>(value.get_double()));
  }
  return json::serialize(value);
}

std::string short_text(const json::value& value) { return printable(json::serialize(value), 600); }

}  // namespace rollcall::conformance
