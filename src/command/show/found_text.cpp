#include "command/show/found_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/append_formatted.hpp"
#include "base/order.hpp"
#include "base/text.hpp"
#include "command/terminal/columns.hpp"
#include "command/terminal/safe_text.hpp"

namespace rollcall::command {
namespace {

std::string found_word(std::string_view text) {
  if (text.empty()) return "-";
  std::string out;
  for (const char c : printable(text, 4096)) out += c == ' ' ? std::string("\\x20") : std::string(1, c);
  return out;
}

// The first address and the number of others: the table is for people.
std::string address_text(const FoundRow& row) {
  const std::vector<std::string>& addresses = row.found.addresses;
  if (addresses.empty()) return "-";
  return addresses.size() == 1 ? found_word(addresses.front()) : fmt::format("{}+{}", found_word(addresses.front()), addresses.size() - 1);
}

// clang-format off: a row a line
constexpr FoundColumn found_column_table[] = {
    {"kind", "KIND", [](const FoundRow& row) { return found_word(row.kind); }},
    {"name", "NAME", [](const FoundRow& row) { return found_word(row.found.name); }},
    {"project", "PROJECT", [](const FoundRow& row) { return found_word(row.found.project); }},
    {"zone", "ZONE", [](const FoundRow& row) { return found_word(row.found.zone); }},
    {"namespace", "NAMESPACE", [](const FoundRow& row) { return found_word(row.found.namespace_name); }},
    {"state", "STATE", [](const FoundRow& row) { return found_word(row.found.state); }},
    {"health", "HEALTH", [](const FoundRow& row) { return found_word(row.found.health); }},
    {"type", "TYPE", [](const FoundRow& row) { return found_word(row.found.workload.empty() ? row.found.accelerator_type : row.found.workload); }},
    {"members", "MEMBERS", [](const FoundRow& row) { return std::to_string(row.found.members); }},
    {"addresses", "ADDRESSES", address_text},
    {"accelerators", "ACCELERATORS", [](const FoundRow& row) { return row.found.accelerators ? std::to_string(*row.found.accelerators) : std::string("-"); }},
    {"user", "USER", [](const FoundRow& row) { return found_word(row.found.user); }},
    {"partition", "PARTITION", [](const FoundRow& row) { return found_word(row.found.partition); }},
    {"queued_resource", "QUEUED_RESOURCE", [](const FoundRow& row) { return found_word(row.found.queued_resource); }},
    {"target", "TARGET", [](const FoundRow& row) { return found_word(row.found.target); }},
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

std::vector<SortKey> usual_order() { return parse_sort("kind,target").value(); }

void sort_rows(std::vector<FoundRow>& rows, const std::vector<SortKey>& keys) {
  sort_stably(rows, [&keys](const FoundRow& a, const FoundRow& b) {
    for (const SortKey& key : keys) {
      const std::strong_ordering order = natural_order(key.column->text(a), key.column->text(b));
      if (order != 0) return key.is_descending ? order > 0 : order < 0;
    }
    return false;
  });
}

FoundTable::FoundTable(ColumnList columns, const std::vector<FoundRow>& rows, std::optional<std::size_t> width, bool may_leave_out)
    : columns_(std::move(columns)), width_(width) {
  constexpr std::size_t widest = 64;  // for a state's usual words; a longer one shifts its line if lines may be long
  for (const FoundColumn* column : columns_) {
    std::size_t needed = columns_of(column->title);
    for (const FoundRow& row : rows) needed = std::max(needed, columns_of(column->text(row)));
    widths_.push_back(column == columns_.back() ? needed : std::min(needed, widest));
  }
  if (width_) fit(*width_, may_leave_out);
}

std::size_t FoundTable::columns_needed() const noexcept {
  return std::accumulate(widths_.begin(), widths_.end(), 2 * (widths_.size() - 1));
}

// Leaves out columns that repeat the target before it cuts the target, and less important ones before it cuts the target to a few
// characters.
void FoundTable::fit(std::size_t width, bool may_leave_out) {
  constexpr std::string_view said_elsewhere[] = {"addresses", "health", "kind"};
  constexpr std::string_view dispensable[] = {"members", "type"};
  static constexpr std::size_t enough_of_last = 28;
  constexpr std::size_t narrowest = 8;
  const auto over = [this, width] { return columns_needed() - std::min(columns_needed(), width); };
  const auto leave_out = [this](std::string_view name) {
    const auto column = std::find_if(columns_.begin(), columns_.end(), [name](const FoundColumn* one) { return one->name == name; });
    if (column == columns_.end()) return;
    widths_.erase(widths_.begin() + (column - columns_.begin()));
    columns_.erase(column);
  };
  const auto spare = [this] { return widths_.back() - std::min(widths_.back(), enough_of_last); };
  for (const std::string_view name : said_elsewhere) {
    if (may_leave_out && over() > 0) leave_out(name);
  }
  for (const std::string_view name : dispensable) {
    if (may_leave_out && over() > spare()) leave_out(name);
  }
  widths_.back() -= std::min(over(), spare());
  while (over() > 0) {
    const auto max = std::max_element(widths_.begin(), widths_.end());
    if (*max <= narrowest) break;
    --*max;
  }
}

std::string FoundTable::line_of(const std::vector<std::string>& cells) const {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += "  ";
    const bool is_last = i + 1 == cells.size();  // the last column is not padded
    if (width_) {
      out += is_last ? cut_line(cells[i], widths_[i]) : in_column(cells[i], widths_[i]);
    } else {
      append_formatted(out, "{:<{}}", cells[i], is_last ? 0 : widths_[i]);
    }
  }
  return width_ ? cut_line(out, *width_) : out;
}

std::string FoundTable::header(bool with_colour) const {
  std::vector<std::string> titles;
  for (const FoundColumn* column : columns_) titles.emplace_back(column->title);
  return fmt::format("{}{}{}\n", with_colour ? bold_style : "", line_of(titles), with_colour ? plain_style : "");
}

std::string FoundTable::line(const FoundRow& row) const {
  std::vector<std::string> cells;
  for (const FoundColumn* column : columns_) cells.push_back(column->text(row));
  return line_of(cells) + "\n";
}

}  // namespace rollcall::command
