#include "command/show/found_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/order.hpp"
#include "base/text.hpp"
#include "command/terminal/safe_text.hpp"

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

namespace {

std::string found_word(std::string_view text) {
  if (text.empty()) return "-";
  std::string out;
  for (const char c : printable(text, 4096)) out += c == ' ' ? std::string("\\x20") : std::string(1, c);
  return out;
}

// The first address and how many more there are: a table is for people.
std::string address_text(const FoundRow& row) {
  const std::vector<std::string>& addresses = row.found.addresses;
  if (addresses.empty()) return "-";
  return addresses.size() == 1 ? found_word(addresses.front()) : fmt::format("{}+{}", found_word(addresses.front()), addresses.size() - 1);
}

// clang-format off: a row a line
constexpr FoundColumn found_column_table[] = {
    {"kind", "KIND", 15, [](const FoundRow& row) { return found_word(row.kind); }},
    {"name", "NAME", 20, [](const FoundRow& row) { return found_word(row.found.name); }},
    {"project", "PROJECT", 16, [](const FoundRow& row) { return found_word(row.found.project); }},
    {"zone", "ZONE", 15, [](const FoundRow& row) { return found_word(row.found.zone); }},
    {"namespace", "NAMESPACE", 12, [](const FoundRow& row) { return found_word(row.found.namespace_name); }},
    {"state", "STATE", 12, [](const FoundRow& row) { return found_word(row.found.state); }},
    {"health", "HEALTH", 9, [](const FoundRow& row) { return found_word(row.found.health); }},
    {"type", "TYPE", 13, [](const FoundRow& row) { return found_word(row.found.workload.empty() ? row.found.accelerator_type : row.found.workload); }},
    {"members", "MEMBERS", 7, [](const FoundRow& row) { return std::to_string(row.found.members); }},
    {"addresses", "ADDRESSES", 22, address_text},
    {"queued_resource", "QUEUED_RESOURCE", 15, [](const FoundRow& row) { return found_word(row.found.queued_resource); }},
    {"target", "TARGET", 0, [](const FoundRow& row) { return found_word(row.found.target); }},
};
// clang-format on

constexpr std::string_view usual_columns = "kind,state,health,type,members,addresses,target";

Result<const FoundColumn*> find_column(std::string_view name) {
  std::vector<std::string_view> names;
  for (const FoundColumn& column : found_column_table) {
    if (column.name == name) return &column;
    names.push_back(column.name);
  }
  const auto near = nearest(name, names);
  return Failure(Errc::invalid_argument, fmt::format("there is no column {}", quoted(name, 64)))
      .with_hint(near ? fmt::format("did you mean {}?", *near) : fmt::format("columns are {}", fmt::join(names, ", ")));
}

}  // namespace

std::span<const FoundColumn> found_columns() noexcept { return found_column_table; }

Result<ColumnList> parse_columns(const std::string& text) {
  ColumnList columns;
  for (const std::string_view name : split(text.empty() ? usual_columns : text, ',')) {
    const Result<const FoundColumn*> column = find_column(name);
    if (!column) return column.error();
    columns.push_back(*column);
  }
  return columns;
}

Result<std::vector<SortKey>> parse_sort(const std::string& text) {
  std::vector<SortKey> keys;
  for (std::string_view name : split(text, ',')) {
    SortKey& key = keys.emplace_back();
    key.is_descending = name.starts_with('-');
    if (key.is_descending) name.remove_prefix(1);
    const Result<const FoundColumn*> column = find_column(name);
    if (!column) return column.error();
    key.column = *column;
  }
  return keys;
}

void sort_rows(std::vector<FoundRow>& rows, const std::vector<SortKey>& keys) {
  sort_stably(rows, [&keys](const FoundRow& a, const FoundRow& b) {
    for (const SortKey& key : keys) {
      const std::strong_ordering order = natural_order(key.column->text(a), key.column->text(b));
      if (order != 0) return key.is_descending ? order > 0 : order < 0;
    }
    return false;
  });
}

}  // namespace rollcall::tools
