// What `rollcall discover` prints: a table, or lines of JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "command/show/found_columns.hpp"
#include "render/render_json.hpp"

namespace rollcall::tools {

/// The widths of a table that is printed as it comes, or of one that is printed at once.
std::vector<std::size_t> usual_widths(const ColumnList& columns);
std::vector<std::size_t> widths_of(const ColumnList& columns, const std::vector<FoundRow>& rows);

std::string found_header(const ColumnList& columns, const std::vector<std::size_t>& widths, bool with_colour);
std::string found_line(const FoundRow& row, const ColumnList& columns, const std::vector<std::size_t>& widths);

/// `{"kind":"tpu","name":…,"addresses":[…],…}` and a line end; all fields, whatever the columns. Documented in docs/command.md and stable.
std::string found_json(const FoundRow& row);
/// `{"kind":"failure","target":…,"code":…,"message":…,…}` and a line end.
std::string missing_json(const TargetFailure& failure);

}  // namespace rollcall::tools
