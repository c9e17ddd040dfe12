// Where a value stands in a JSON text. Used for messages only, after the text has been found well-formed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall::sim {

/// One step down: into an object's key or an array's element.
struct FileStep {
  std::string key;
  std::size_t index = 0;
  bool is_index = false;
};
using FilePath = std::vector<FileStep>;

/// `nodes[3].timeline[0].state`; keys that are no identifiers as `["instance/zone"]`; "the file" for the root.
std::string to_text(const FilePath& path);

/// Offset of the value at `path`, or of its key when `wants_key`. As far as the path leads.
std::size_t find_position(std::string_view text, const FilePath& path, bool wants_key);

/// The second of two equal keys of one object.
std::optional<FilePath> find_duplicate_key(std::string_view text);

/// `LINE:COLUMN`, both from 1; columns count bytes.
std::string line_and_column(std::string_view text, std::size_t offset);

}  // namespace rollcall::sim
