#include "json/json_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "json/json_sax.hpp"

namespace rollcall {
namespace {

constexpr std::string_view any_key = "*";

std::string_view kind_name(JsonKind kind) {
  switch (kind) {
    case JsonKind::object: return "an object";
    case JsonKind::array: return "an array";
    case JsonKind::integer:
    case JsonKind::decimal: return "a whole number";
    case JsonKind::text:
    case JsonKind::unread: break;
  }
  return "a text";
}

using Shapes = std::span<const JsonShape* const>;

// The path of the first required field that has not been seen; empty: there is none.
std::string find_missing(std::span<const JsonShape> rows, Shapes seen) {
  for (const JsonShape& row : rows) {
    if (row.is_required && std::find(seen.begin(), seen.end(), &row) == seen.end()) return std::string(row.key);
    if (row.kind != JsonKind::object) continue;
    if (const std::string path = find_missing(row.children, seen); !path.empty()) return fmt::format("{}.{}", row.key, path);
  }
  return {};
}

class ShapeSink {
 public:
  ShapeSink(std::string_view document, const JsonShape& root, void* object, const ParseLimits& limits)
      : document_(document), root_(root), object_(object), limits_(limits), memory_(limits.share()) {}

  bool open(bool is_array) {
    const JsonShape* const shape = expected();
    if (!shape) {
      ++skip_depth_;
      return true;
    }
    if (!count_element()) return false;
    if (shape->kind != (is_array ? JsonKind::array : JsonKind::object)) {
      return wrong_type(*shape, kind_name(is_array ? JsonKind::array : JsonKind::object));
    }
    if (!memory_.charge(shape->bytes)) return refuse_memory();
    void* const entered = shape->enter(owner(), false);
    frames_.push_back(Frame{shape, entered, nullptr, 0, seen_.size()});
    return true;
  }

  bool close() {
    if (skip_depth_ > 0) {
      --skip_depth_;
      return true;
    }
    const Frame ended = frames_.back();
    frames_.pop_back();
    return is_complete(ended) && (!ended.shape->leave || judge(ended.shape->leave(ended.object)));
  }

  bool key(std::string_view name) {
    Frame& frame = frames_.back();
    frame.field = nullptr;
    for (const JsonShape& child : frame.shape->children) {
      if (child.key != name && child.key != any_key) continue;
      if (child.kind != JsonKind::unread) frame.field = &child;
      break;
    }
    return true;
  }

  bool value(const JsonScalar& scalar) {
    using Kind = JsonScalar::Kind;
    const JsonShape* const shape = expected();
    if (!shape) return true;
    if (!count_element()) return false;
    const bool is_in_object = !frames_.empty() && frames_.back().shape->kind == JsonKind::object;
    const bool is_absent = scalar.kind == Kind::null && is_in_object;
    if (is_in_object && (shape->is_required || frames_.back().shape->is_required)) note(*shape, *frames_.back().shape);
    if (!memory_.charge_text(scalar.text) || (!is_in_object && !memory_.charge(2 * sizeof(std::string)))) return refuse_memory();
    switch (shape->kind) {
      case JsonKind::object:
      case JsonKind::array:
        if (!is_absent) return wrong_type(*shape, name_of(scalar.kind));
        shape->enter(owner(), true);
        return true;
      case JsonKind::text:
        if (!is_absent && scalar.kind != Kind::text) return wrong_type(*shape, name_of(scalar.kind));
        return judge(shape->set_text(owner(), scalar.text));
      case JsonKind::decimal:
        if (scalar.kind == Kind::integer) return judge(shape->set_text(owner(), std::to_string(scalar.integer)));
        if (!is_absent && scalar.kind != Kind::text) return wrong_type(*shape, name_of(scalar.kind));
        return judge(shape->set_text(owner(), scalar.text));
      case JsonKind::unread: return true;
      case JsonKind::integer: break;
    }
    if (is_absent) return judge(shape->set_integer(owner(), std::nullopt));
    if (scalar.kind != Kind::integer) return wrong_type(*shape, name_of(scalar.kind));
    return judge(shape->set_integer(owner(), scalar.integer));
  }

  bool skips() const { return skip_depth_ > 0; }
  bool wants_text() const {
    const JsonShape* const shape = expected();
    return shape && (shape->kind == JsonKind::text || shape->kind == JsonKind::decimal);
  }
  bool text_too_long() { return refuse(Errc::limit_exceeded, fmt::format("{} is longer than {} bytes", path(true), limits_.max_text)); }
  const std::optional<Failure>& failure() const { return failure_; }
  MemoryShare& memory() { return memory_; }
  Shapes seen() const { return seen_; }

 private:
  struct Frame {
    const JsonShape* shape;
    void* object;            // the object that the values within belong to
    const JsonShape* field;  // of an object: the field of the next value; null: not in the table
    std::size_t count;       // of an array: elements so far
    std::size_t seen_from;   // in seen_: what was seen before
  };

  // The shape of the value that comes next; null if it is skipped.
  const JsonShape* expected() const {
    if (skip_depth_ > 0) return nullptr;
    if (frames_.empty()) return &root_;
    const Frame& frame = frames_.back();
    return frame.shape->kind == JsonKind::array ? frame.shape->children.data() : frame.field;
  }

  // The object that the next value belongs to.
  void* owner() const { return frames_.empty() ? object_ : frames_.back().object; }

  bool count_element() {
    if (frames_.empty() || frames_.back().shape->kind != JsonKind::array) return true;
    if (++frames_.back().count <= limits_.max_items) return true;
    return refuse(Errc::limit_exceeded, fmt::format("{} has more than {} elements", path(false), limits_.max_items));
  }

  // The field of the next value, or the open frame.
  std::string path(bool with_value) const {
    std::string text;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const bool is_open = i + 1 < frames_.size() || with_value;
      const Frame& frame = frames_[i];
      if (!is_open) break;
      if (frame.shape->kind == JsonKind::array) {
        text += fmt::format("[{}]", frame.count > 0 ? frame.count - 1 : 0);
      } else if (frame.field) {
        if (!text.empty()) text += '.';
        text += frame.field->key;
      }
    }
    return text.empty() ? "the document" : text;
  }

  // What an element of an array must have is looked for where it ends, since the next one has the same fields.
  bool is_complete(const Frame& ended) {
    if (frames_.empty() || frames_.back().shape->kind != JsonKind::array || ended.shape->kind != JsonKind::object) return true;
    const std::string missing = find_missing(ended.shape->children, Shapes(seen_).subspan(ended.seen_from));
    seen_.resize(ended.seen_from);
    return missing.empty() || refuse(Errc::malformed_response, fmt::format("{}.{} is missing", path(true), missing));
  }

  // Remembers the required ones of a field that has a value, and of the object that it belongs to.
  void note(const JsonShape& field, const JsonShape& object) {
    const auto from = static_cast<std::ptrdiff_t>(begin_of_element());
    const bool is_whole = field.kind == JsonKind::object || field.kind == JsonKind::array;  // it is null
    for (const JsonShape* const shape : {&field, &object}) {
      if (shape->is_required && !is_whole && std::find(seen_.begin() + from, seen_.end(), shape) == seen_.end()) seen_.push_back(shape);
    }
  }

  // Where in seen_ the innermost open element of an array begins: it may have the fields of an object around it.
  std::size_t begin_of_element() const {
    for (std::size_t i = frames_.size(); i-- > 1;) {
      if (frames_[i - 1].shape->kind == JsonKind::array) return frames_[i].seen_from;
    }
    return 0;
  }

  bool judge(const std::string& complaint) {
    return complaint.empty() || refuse(Errc::malformed_response, fmt::format("{} {}", path(true), complaint));
  }
  bool wrong_type(const JsonShape& shape, std::string_view got) {
    return refuse(Errc::malformed_response, fmt::format("{} is {}, not {}", path(true), got, kind_name(shape.kind)));
  }
  bool refuse(Errc code, std::string_view what) {
    failure_.emplace(code, fmt::format("{}: {}", document_, what));
    return false;
  }

  bool refuse_memory() {
    failure_ = too_much_memory(document_, memory_);
    return false;
  }

  std::string_view document_;
  const JsonShape& root_;
  void* object_;
  ParseLimits limits_;
  MemoryShare memory_;
  std::vector<Frame> frames_;
  std::size_t skip_depth_ = 0;  // open brackets of a value that is skipped
  std::vector<const JsonShape*> seen_;  // required fields
  std::optional<Failure> failure_;
};

}  // namespace

Failure malformed_document(std::string_view document, std::string_view what) {
  return Failure(Errc::malformed_response, fmt::format("{}: {}", document, what));
}

class JsonShapeParser::Impl {
 public:
  Impl(std::string_view name, const JsonShape& root, void* object, const ParseLimits& limits)
      : document(name), rows(root.children), feed(name, limits, name, root, object, limits) {}
  std::string_view document;
  std::span<const JsonShape> rows;
  JsonFeed<ShapeSink> feed;
};

JsonShapeParser::JsonShapeParser(std::string_view document, const JsonShape& root, void* object, const ParseLimits& limits)
    : impl_(std::make_unique<Impl>(document, root, object, limits)) {}
JsonShapeParser::~JsonShapeParser() = default;
JsonShapeParser::JsonShapeParser(JsonShapeParser&&) noexcept = default;
JsonShapeParser& JsonShapeParser::operator=(JsonShapeParser&&) noexcept = default;

Result<void> JsonShapeParser::feed(std::string_view chunk) { return impl_->feed.put(chunk); }
Result<void> JsonShapeParser::finish() { return impl_->feed.finish(); }
Result<void> JsonShapeParser::check_required(std::string_view words) const {
  const std::string path = find_missing(impl_->rows, impl_->feed.sink.seen());
  if (path.empty()) return {};
  return malformed_document(impl_->document, fmt::format("{} is missing", words.empty() ? path : words));
}
MemoryShare& JsonShapeParser::memory() { return impl_->feed.sink.memory(); }

}  // namespace rollcall
