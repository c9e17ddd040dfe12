// The table that `rollcall discover` prints. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/discover.hpp"

namespace rollcall::command {

/// A find, or a target of --targets-from that was resolved: its kind is then `target`.
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
  std::string (*text)(const FoundRow& row);  ///< safe to print, without blanks; `-` if empty
};

std::span<const FoundColumn> found_columns() noexcept;

using ColumnList = std::vector<const FoundColumn*>;
/// `state,name`; empty: the default columns. Errors: invalid_argument naming the nearest column.
Result<ColumnList> parse_columns(const std::string& text);

class SortKey {
 public:
  SortKey() {}
  const FoundColumn* column = nullptr;
  bool is_descending = false;
};
/// `zone,-members`. Errors: as parse_columns.
Result<std::vector<SortKey>> parse_sort(const std::string& text);
/// Numbers sort as numbers; equal rows keep their order.
void sort_rows(std::vector<FoundRow>& rows, const std::vector<SortKey>& keys);

/// The default order: by kind, then by target.
std::vector<SortKey> usual_order();

/// A table whose columns are as wide as its rows need, or as the terminal allows.
class FoundTable {
 public:
  FoundTable() {}
  /// `width`: of the terminal; none: lines are not cut. `may_leave_out`: leaves out columns of less importance before it cuts a target.
  FoundTable(ColumnList columns, const std::vector<FoundRow>& rows, std::optional<std::size_t> width, bool may_leave_out);
  std::string header(bool with_colour) const;
  std::string line(const FoundRow& row) const;

 private:
  void fit(std::size_t width, bool may_leave_out);
  std::size_t columns_needed() const noexcept;
  std::string line_of(const std::vector<std::string>& cells) const;

  ColumnList columns_;
  std::vector<std::size_t> widths_;
  std::optional<std::size_t> width_;
};

}  // namespace rollcall::command
