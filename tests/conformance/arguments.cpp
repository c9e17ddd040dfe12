#include "conformance/arguments.hpp"

#include <fmt/format.h>

#include <limits>

#include "conformance/json_reader.hpp"

namespace rollcall::conformance {
namespace {

[[noreturn]] void refuse(const std::string& what, std::string_view name, std::string_view wanted, const json::value& found) {
  throw NotApplicable(fmt::format("{}: '{}' takes {} in C++, not {}", what, name, wanted, kind_of(found)));
}

}  // namespace

const json::value* Arguments::value(std::string_view name) {
  read_.emplace(name);
  const json::value* const found = values_.if_contains(name);
  return found && !found->is_null() ? found : nullptr;
}

std::optional<std::string> Arguments::text(std::string_view name) {
  const json::value* const found = value(name);
  if (!found) return std::nullopt;
  if (!found->is_string()) refuse(what_, name, "a text", *found);
  return std::string(found->get_string());
}

std::optional<int> Arguments::integer(std::string_view name) {
  const json::value* const found = value(name);
  if (!found) return std::nullopt;
  if (!found->is_int64() || found->get_int64() < std::numeric_limits<int>::min() || found->get_int64() > std::numeric_limits<int>::max()) {
    refuse(what_, name, "an int", *found);
  }
  return static_cast<int>(found->get_int64());
}

std::optional<std::uint16_t> Arguments::port(std::string_view name) {
  const std::optional<int> number = integer(name);
  if (!number) return std::nullopt;
  if (*number < 0 || *number > 65535) throw NotApplicable(fmt::format("{}: '{}' takes a 16-bit number in C++", what_, name));
  return static_cast<std::uint16_t>(*number);
}

std::optional<bool> Arguments::boolean(std::string_view name) {
  const json::value* const found = value(name);
  if (!found) return std::nullopt;
  if (!found->is_bool()) refuse(what_, name, "a bool", *found);
  return found->get_bool();
}

std::optional<double> Arguments::number(std::string_view name) {
  const json::value* const found = value(name);
  if (!found) return std::nullopt;
  if (!found->is_number()) refuse(what_, name, "a number", *found);
  return found->to_number<double>();
}

const json::value& Arguments::required(std::string_view name) {
  const json::value* const found = value(name);
  if (!found) throw NotApplicable(fmt::format("{}: C++ does not compile without '{}'", what_, name));
  return *found;
}

std::string Arguments::required_text(std::string_view name) {
  required(name);
  return *text(name);
}

int Arguments::required_integer(std::string_view name) {
  required(name);
  return *integer(name);
}

void Arguments::finish() const {
  for (const auto& [key, value] : values_) {
    if (!value.is_null() && !read_.contains(std::string_view(key)))
      throw NotApplicable(fmt::format("{}: there is no argument '{}' in C++", what_, std::string_view(key)));
  }
}

}  // namespace rollcall::conformance
