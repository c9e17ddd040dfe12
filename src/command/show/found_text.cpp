#include "command/show/found_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "command/terminal/safe_text.hpp"
#include "json/json_text.hpp"

namespace rollcall::tools {
namespace {

std::string table_line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += "  ";
    // Nothing is filled up behind the last cell.
    fmt::format_to(std::back_inserter(out), "{:<{}}", cells[i], i + 1 == cells.size() ? 0 : widths[i]);
  }
  return out + "\n";
}

}  // namespace

std::vector<std::size_t> usual_widths(const ColumnList& columns) {
  std::vector<std::size_t> widths;
  for (const FoundColumn* column : columns) widths.push_back(std::max(column->width, column->title.size()));
  return widths;
}

std::vector<std::size_t> widths_of(const ColumnList& columns, const std::vector<FoundRow>& rows) {
  constexpr std::size_t widest = 64;
  std::vector<std::size_t> widths;
  for (const FoundColumn* column : columns) {
    std::size_t width = column->title.size();
    for (const FoundRow& row : rows) width = std::max(width, column->text(row).size());
    widths.push_back(std::min(width, widest));
  }
  return widths;
}

std::string found_header(const ColumnList& columns, const std::vector<std::size_t>& widths, bool with_colour) {
  std::vector<std::string> titles;
  for (const FoundColumn* column : columns) titles.emplace_back(column->title);
  std::string line = table_line(titles, widths);
  return with_colour ? fmt::format("{}{}{}\n", bold_style, line.substr(0, line.size() - 1), plain_style) : line;
}

std::string found_line(const FoundRow& row, const ColumnList& columns, const std::vector<std::size_t>& widths) {
  std::vector<std::string> cells;
  for (const FoundColumn* column : columns) cells.push_back(column->text(row));
  return table_line(cells, widths);
}

std::string found_json(const FoundRow& row) {
  std::string out = "{";
  append_json_field(out, "kind", row.kind);
  const Found& found = row.found;
  append_json_field(out, "name", found.name);
  append_json_field(out, "project", found.project);
  append_json_field(out, "zone", found.zone);
  append_json_field(out, "target", found.target);
  append_json_field(out, "state", found.state);
  append_json_field(out, "health", found.health);
  append_json_field(out, "accelerator_type", found.accelerator_type);
  fmt::format_to(std::back_inserter(out), ",\"members\":{},\"addresses\":[", found.members);
  for (std::size_t i = 0; i < found.addresses.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(out, found.addresses[i]);
  }
  out += ']';
  append_json_field(out, "queued_resource", found.queued_resource);
  append_json_field(out, "namespace", found.name_space);
  append_json_field(out, "workload", found.workload);
  return out + "}\n";
}

std::string missing_json(const TargetFailure& failure) {
  const std::string fields = render_failure_json(failure);
  return "{\"kind\":\"failure\"," + fields.substr(1) + "\n";
}

}  // namespace rollcall::tools
