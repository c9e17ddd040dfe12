#include "command/terminal/failure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/failure_parts.hpp"
#include "base/text.hpp"
#include "command/terminal/safe_text.hpp"
#include "command/terminal/text_layout.hpp"

namespace rollcall::command {
namespace {

constexpr std::size_t label_columns = 9;  // of "rollcall:"

std::string labelled(std::string_view label, std::string_view style, std::string_view text, std::size_t width) {
  constexpr std::size_t max_bytes = 16 * 1024;
  constexpr std::size_t narrowest = 20;
  const std::size_t indent = label_columns + 1;
  const std::string lines = wrapped(printable(text, max_bytes), indent, std::max(width, indent + narrowest));
  return fmt::format("{}{}{}{} {}\n", std::string(label_columns - label.size(), ' '), style, label, style.empty() ? "" : plain_style,
                     lines);
}

}  // namespace

std::string failure_text(const Failure& failure, std::size_t width, bool with_colour) {
  const FailureParts parts = parts_of(failure);
  const std::string story = parts.story.empty() ? std::string() : fmt::format(" ({})", parts.story);
  const std::string_view label_style = with_colour ? bold_style : "";
  std::string out = labelled("rollcall:", with_colour ? error_style : "", parts.cause + (parts.target.empty() ? story : ""), width);
  if (!parts.target.empty()) out += labelled(fmt::format("{}:", parts.kind), label_style, parts.target + story, width);
  if (!parts.hint.empty()) out += labelled("hint:", label_style, parts.hint, width);
  return out;
}

}  // namespace rollcall::command
