// The table that `rollcall discover` prints. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/discover.hpp"

namespace rollcall::tools {

/// What was found, or a target of --targets-from that was resolved: its kind is `target` then.
class FoundRow {
 public:
  FoundRow() {}
  explicit FoundRow(Found what) : kind(to_string(what.kind)), found(std::move(what)) {}
  std::string kind;
  Found found;
};

struct FoundColumn {
  std::string_view name;
  std::string_view title;
  std::size_t width;  ///< of a table whose rows are printed as they come
  std::string (*text)(const FoundRow& row);  ///< safe to print, without blanks; `-` for nothing
};

std::span<const FoundColumn> found_columns() noexcept;

using ColumnList = std::vector<const FoundColumn*>;
/// `state,name`; empty: the usual ones. Errors: invalid_argument naming the nearest column.
Result<ColumnList> parse_columns(const std::string& text);

class SortKey {
 public:
  SortKey() {}
  const FoundColumn* column = nullptr;
  bool is_descending = false;
};
/// `zone,-members`. Errors: as parse_columns.
Result<std::vector<SortKey>> parse_sort(const std::string& text);
/// As people count; equal rows keep their order.
void sort_rows(std::vector<FoundRow>& rows, const std::vector<SortKey>& keys);

/// The widths of a table that is printed as it comes, or of one that is printed at once.
std::vector<std::size_t> usual_widths(const ColumnList& columns);
std::vector<std::size_t> widths_of(const ColumnList& columns, const std::vector<FoundRow>& rows);

std::string found_header(const ColumnList& columns, const std::vector<std::size_t>& widths, bool with_colour);
std::string found_line(const FoundRow& row, const ColumnList& columns, const std::vector<std::size_t>& widths);

}  // namespace rollcall::tools
