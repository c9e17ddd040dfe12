#include "command/show/environment_text.hpp"

#include "base/append_formatted.hpp"
#include "json/json_text.hpp"

namespace rollcall::command {

std::string environment_text(EnvironmentForm form, const EnvironmentVariables& variables) {
  std::string out;
  const auto line = [&out](std::string_view before, std::string_view name, std::string_view quote, std::string_view value) {
    append_formatted(out, "{}{}={}{}{}\n", before, name, quote, value, quote);
  };
  if (form == EnvironmentForm::json) {
    out = "{";
    for (const auto& [name, value] : variables) append_json_field(out, name, value);
    return out += "}\n";
  }
  for (const auto& [name, value] : variables) {
    if (form == EnvironmentForm::shell) line("export ", name, "'", value);
    if (form == EnvironmentForm::github) line("", name, "", value);
    if (form == EnvironmentForm::dotenv) line("", name, value.find(' ') == std::string::npos ? "" : "'", value);
  }
  return out;
}

}  // namespace rollcall::command
