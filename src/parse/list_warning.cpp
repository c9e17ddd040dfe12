#include "parse/list_warning.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_shown_data = 8;

}  // namespace

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

void begin_list_warning(ListWarning& warning, int id) {
  if (id == warning_id) warning = ListWarning();
  if (id == warning_data) warning.data.clear();
  if (id == warning_datum) warning.data.emplace_back();
}

void set_list_warning(ListWarning& warning, int id, std::string_view text) {
  switch (id) {
    case warning_code: warning.code = text; break;
    case warning_message: warning.message = text; break;
    case warning_key: warning.data.back().first = text; break;
    case warning_value: warning.data.back().second = text; break;
    default: break;
  }
}

}  // namespace rollcall
