#include "json/json_write.hpp"

#include "json/json_shape.hpp"

namespace rollcall {

void write_json_fields(std::string& out, std::span<const JsonShape> rows, const void* object) {
  for (const JsonShape& row : rows) {
    if (!row.write) continue;
    const std::size_t before = out.size();
    if (!out.ends_with('{')) out += ',';
    out.append("\"").append(row.key).append("\":");
    if (!row.write(out, object)) out.resize(before);
  }
}

void write_json_rows(std::string& out, std::span<const JsonShape> rows, const void* object) {
  out += '{';
  write_json_fields(out, rows, object);
  out += '}';
}

}  // namespace rollcall
