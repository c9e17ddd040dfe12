// Documents read by a table of fields: the name and kind of each, and the functions that store and write its value. The parser checks
// kinds and limits, takes a document in chunks, skips fields that are not in the table, and names a wrong field by its path. The tables
// are made by json_fields.hpp, which knows the types of the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

enum class JsonKind {
  object,
  array,
  text,
  integer,
  decimal,  ///< a whole number, or a text that should be one: it is passed as text
  unread,   ///< any value: the field is only written
};

/// A field that is read. An array has one child, its element, whose key is empty. The key `*` matches every key of an object that has no
/// other children. The functions get the object that the field belongs to; of a repeated key the last counts, so enter() and the values
/// replace earlier values. They return a complaint, empty if there is none.
class JsonShape {
 public:
  std::string_view key = {};
  JsonKind kind = JsonKind::text;
  std::span<const JsonShape> children = {};
  /// The memory of one kept object or array; for an element of a vector, twice its size, because vectors grow.
  std::size_t bytes = 256;
  /// Called at the begin of an object or array, or for null in its place: absent, then. Returns the object that its children belong to.
  void* (*enter)(void* object, bool is_absent) = nullptr;
  std::string (*leave)(void* entered) = nullptr;  ///< may be null
  /// A value, of a text or a decimal; an empty one for null.
  std::string (*set_text)(void* object, std::string_view value) = nullptr;
  std::string (*set_integer)(void* object, std::optional<std::int64_t> value) = nullptr;
  /// Appends the field's value to JSON. False: the field is left out. Null: it is only read.
  bool (*write)(std::string& out, const void* object) = nullptr;
  /// check_required() refuses a document without the field, and feed() an element of an array. An object is there if one of its values is.
  bool is_required = false;
};

/// malformed_response: `DOCUMENT: WHAT`.
Failure malformed_document(std::string_view document, std::string_view what);

/// Reads a document chunk by chunk. Kept values are charged to the limits' memory: objects and arrays by JsonShape::bytes, texts by their
/// size.
class JsonShapeParser {
 public:
  /// `document` names the document ("the queued resource"); it, `root` and `object`, of the type that `root` is for, must outlive the
  /// parser.
  JsonShapeParser(std::string_view document, const JsonShape& root, void* object, const ParseLimits& limits = {});
  ~JsonShapeParser();
  JsonShapeParser(JsonShapeParser&&) noexcept;
  JsonShapeParser& operator=(JsonShapeParser&&) noexcept;

  /// The next bytes. Errors: malformed_response naming the field (`items[3].networkIP is a number, not a text`), limit_exceeded; they are
  /// final.
  Result<void> feed(std::string_view chunk);
  /// The body has ended. Errors: also malformed_response for a body cut short.
  Result<void> finish();
  /// After finish(). malformed_response, `DOCUMENT: PATH is missing`, for the first required field that the document does not have.
  /// `words`: are written in place of the path unless they are empty.
  Result<void> check_required(std::string_view words = {}) const;
  /// For a caller that keeps the values longer than the parser.
  MemoryShare& memory();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall
