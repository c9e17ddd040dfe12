// Documents read by a table: which fields matter and of what kind they are. What a document's reader adds is a visitor of a few lines;
// kinds, paths in messages, limits, chunks and everything that nobody asked for are dealt with here.
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
  decimal,  ///< a whole number, or a text that should be one: the visitor has it as text, and judges
};

/// A field that matters. An array has one child, its element, whose key is empty. The key `*` stands for every key of an object that has
/// no other children.
class JsonShape {
 public:
  std::string_view key;
  JsonKind kind = JsonKind::text;
  int id = 0;  ///< what the visitor knows it by
  std::span<const JsonShape> children = {};
  /// What one object or array takes in memory when it is kept; of an element of a vector, twice its size, because vectors grow.
  std::size_t bytes = 256;
};

/// What is done with the fields. Of a repeated key the last counts, so begin() and the values replace what was there before.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  /// An object or array begins, or null stands in its place: absent, then.
  virtual void begin(int id) = 0;
  // Each returns a complaint, empty if there is none: "is 'x y', not an address".
  virtual std::string end(int) { return {}; }
  /// A value, of a text or a decimal; none or an empty one for null.
  virtual std::string text(int id, std::string_view value) = 0;
  virtual std::string integer(int, std::optional<std::int64_t>) { return {}; }
};

/// Reads a document chunk by chunk. What is kept of it is charged to the limits' memory: objects and arrays by JsonShape::bytes, texts by
/// their size.
class JsonShapeParser {
 public:
  /// `document` names what is read ("the TPU node"); it, `root` and `visitor` must outlive the parser.
  JsonShapeParser(std::string_view document, const JsonShape& root, JsonVisitor& visitor, const ParseLimits& limits = {});
  ~JsonShapeParser();
  JsonShapeParser(JsonShapeParser&&) noexcept;

  /// The next bytes. Errors: malformed_response naming the field (`items[3].networkIP is a number, not a text`), limit_exceeded; they
  /// are final.
  Result<void> feed(std::string_view chunk);
  /// The body has ended. Errors: also malformed_response for a body cut short.
  Result<void> finish();
  /// For whoever keeps the values longer than the parser.
  MemoryShare& memory();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall
