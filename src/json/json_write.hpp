// Writing JSON by the table that reads it (json_fields.hpp).
#pragma once

#include <span>
#include <string>

namespace rollcall {

class JsonShape;

/// Appends the fields of an object of the type that `rows` are for: `"name":"value",…`, behind a comma unless the first one stands behind
/// the object's brace.
void write_json_fields(std::string& out, std::span<const JsonShape> rows, const void* object);

/// The same with braces around it.
void write_json_rows(std::string& out, std::span<const JsonShape> rows, const void* object);

}  // namespace rollcall
