#include "resolvers/gce/wire/list_warning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_shown_data = 8;

// Warnings about the request or about resources that are all in the list. NO_RESULTS_ON_PAGE only states that a page is empty. Source:
// Compute Engine API v1, Warning codes.
constexpr std::array<std::string_view, 10> harmless_codes = {
    "NO_RESULTS_ON_PAGE",          "DEPRECATED_RESOURCE_USED",        "DEPRECATED_TYPE_USED",      "EXPERIMENTAL_TYPE_USED",
    "FIELD_VALUE_OVERRIDEN",       "UNDECLARED_PROPERTIES",           "SCHEMA_VALIDATION_IGNORED", "REQUIRED_TOS_AGREEMENT",
    "INJECTED_KERNELS_DEPRECATED", "DISK_SIZE_LARGER_THAN_IMAGE_SIZE"};

}  // namespace

bool ListWarning::is_serious() const {
  return !empty() && std::find(harmless_codes.begin(), harmless_codes.end(), code) == harmless_codes.end();
}

std::string ListWarning::describe() const {
  std::string text = code.empty() ? "a warning without a code" : printable(code, 60);
  if (!message.empty()) text += ": " + printable(message, 300);
  std::string rest;
  for (std::size_t i = 0; i < data.size() && i < max_shown_data; ++i) {
    rest += fmt::format("{}{} {}", i == 0 ? "" : ", ", printable(data[i].first, 60), printable(data[i].second, 120));
  }
  if (data.size() > max_shown_data) rest += fmt::format(", and {} more", data.size() - max_shown_data);
  if (!rest.empty()) text += fmt::format(" ({})", rest);
  return text;
}

}  // namespace rollcall
