// Tables of a document's fields. Each row names a field once, and says where its value is kept: the parser and the writer both go by it.
//
//   constexpr auto port_fields = json_object<Port>(
//       json_field<&Port::name, LineText>("name"),
//       json_field<&Port::number, PortNumber>("port"));
//   constexpr auto page_fields = json_object<Page>(array_field<&Page::ports, port_fields>("namedPorts"));
//   constexpr JsonForm<Page> page_form = json_form<page_fields>("the list of ports");
//   Result<Page> page = read_json(page_form, text, limits);
//   std::string again = to_json(page_fields, *page);
//
// json_field() is for a value that is read and written by a class (json_values.hpp). text_field(), integer_field() and decimal_field() only
// read: into a data member, which may have a check, or by a function of the object and the value. Checks and functions return a complaint,
// empty if there is none. Objects and arrays are written if their rows are. Fields are written in the order of their rows. What a table
// refers to has static storage.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "json/json_row.hpp"
#include "json/json_shape.hpp"
#include "json/json_write.hpp"

namespace rollcall {

/// A field of T.
template <class T>
class JsonField {
 public:
  using Type = T;
  JsonShape shape;
};

/// The fields that are read of an object into a T.
template <class T, std::size_t N>
class JsonObject {
 public:
  using Type = T;
  std::array<JsonShape, N> fields;
  std::string (*leave)(void* object);
};

namespace json_detail {

template <class Part>
inline constexpr std::size_t row_count = 0;
template <class T>
inline constexpr std::size_t row_count<JsonField<T>> = 1;
template <class T, std::size_t N>
inline constexpr std::size_t row_count<JsonObject<T, N>> = N;

template <class T>
constexpr JsonShape* add_rows(JsonShape* at, const JsonField<T>& field) {
  *at = field.shape;
  return at + 1;
}
template <class T, std::size_t N>
constexpr JsonShape* add_rows(JsonShape* at, const JsonObject<T, N>& part) {
  return std::copy(part.fields.begin(), part.fields.end(), at);
}

}  // namespace json_detail

/// `parts`: fields of T, and tables of T whose rows become rows of this one. `Leave`: a function of the T, called where the object ends; it
/// returns a complaint, empty if there is none.
template <class T, auto Leave = nullptr, class... Parts>
constexpr auto json_object(const Parts&... parts) {
  static_assert((std::is_same_v<T, typename Parts::Type> && ...), "a row of another type");
  JsonObject<T, (std::size_t{0} + ... + json_detail::row_count<Parts>)> object{};
  [[maybe_unused]] JsonShape* at = object.fields.data();
  ((at = json_detail::add_rows(at, parts)), ...);
  if constexpr (!std::is_null_pointer_v<decltype(Leave)>) object.leave = &json_detail::call<T, Leave>;
  return object;
}

/// A value that `Kind` reads and writes: a class with `kind`, the JsonKind; read(slot, text or integer), which stores a value and returns a
/// complaint, empty if there is none; and write(out, value), which appends JSON and returns false where the field is to be left out.
/// `Target`: a data member, a json_path or a json_property.
template <auto Target, class Kind>
constexpr auto json_field(std::string_view key) {
  JsonShape shape{.key = key, .kind = Kind::kind, .write = &json_detail::write_value<Target, Kind>};
  if constexpr (Kind::kind == JsonKind::integer) {
    shape.set_integer = &json_detail::read_integer<Target, Kind>;
  } else if constexpr (Kind::kind != JsonKind::unread) {
    shape.set_text = &json_detail::read_text<Target, Kind>;
  }
  return JsonField<json_detail::Owner<Target>>{shape};
}
/// A field that is only written, by a function that appends its value: void (*)(std::string&, const T&).
template <auto Write>
constexpr auto written_field(std::string_view key) {
  return JsonField<json_detail::Owner<Write>>{{.key = key, .kind = JsonKind::unread, .write = &json_detail::write_by<Write>}};
}
/// A field without which read_json() refuses the document. See JsonShape::is_required.
template <class T>
constexpr JsonField<T> required(JsonField<T> field) {
  field.shape.is_required = true;
  return field;
}

template <auto Target, auto Check = nullptr>
constexpr auto text_field(std::string_view key) {
  return JsonField<json_detail::Owner<Target>>{{.key = key, .set_text = &json_detail::set_text<Target, Check>}};
}
template <auto Target, auto Check = nullptr>
constexpr auto decimal_field(std::string_view key) {
  return JsonField<json_detail::Owner<Target>>{{.key = key, .kind = JsonKind::decimal, .set_text = &json_detail::set_text<Target, Check>}};
}
/// Absent: 0.
template <auto Target, auto Check = nullptr>
constexpr auto integer_field(std::string_view key) {
  return JsonField<json_detail::Owner<Target>>{
      {.key = key, .kind = JsonKind::integer, .set_integer = &json_detail::set_integer<Target, Check>}};
}

/// An object that becomes a member.
template <auto Target, const auto& Object>
constexpr auto object_field(std::string_view key) {
  return JsonField<json_detail::Owner<Target>>{{.key = key,
                                                .kind = JsonKind::object,
                                                .children = Object.fields,
                                                .enter = &json_detail::enter_member<Target, true>,
                                                .leave = Object.leave,
                                                .write = json_detail::if_written<Object>(&json_detail::write_object<Target, Object>)}};
}
/// The same, but of two objects of the same key the second adds to the first.
template <auto Target, const auto& Object>
constexpr auto merged_object(std::string_view key) {
  JsonField<json_detail::Owner<Target>> field = object_field<Target, Object>(key);
  field.shape.enter = &json_detail::enter_member<Target, false>;
  return field;
}
/// An object that becomes a std::optional member; left out where that is empty.
template <auto Target, const auto& Object>
constexpr auto optional_object(std::string_view key) {
  return JsonField<json_detail::Owner<Target>>{{.key = key,
                                                .kind = JsonKind::object,
                                                .children = Object.fields,
                                                .enter = &json_detail::enter_optional<Target>,
                                                .leave = Object.leave,
                                                .write = &json_detail::write_optional<Target, Object>}};
}
/// One of many objects that become one vector.
template <auto Target, const auto& Object>
constexpr auto joined_object(std::string_view key) {
  return JsonField<json_detail::Owner<Target>>{
      {.key = key, .kind = JsonKind::object, .children = Object.fields, .enter = &json_detail::enter_new<Target>, .leave = Object.leave}};
}
/// An object whose fields go to the same T; `Reset` is called at its begin and clears the values of an earlier object with the same key.
template <const auto& Object, auto Reset = nullptr>
constexpr auto inner_field(std::string_view key) {
  using T = json_detail::TypeOf<Object>;
  JsonShape shape{.key = key, .kind = JsonKind::object, .children = Object.fields, .enter = &json_detail::stay, .leave = Object.leave};
  if constexpr (!std::is_null_pointer_v<decltype(Reset)>) shape.enter = &json_detail::stay_and_reset<T, Reset>;
  return JsonField<T>{shape};
}
/// The same for the objects of an array.
template <const auto& Object, auto Reset>
constexpr auto inner_array(std::string_view key) {
  using T = json_detail::TypeOf<Object>;
  return JsonField<T>{{.key = key,
                       .kind = JsonKind::array,
                       .children = {&json_detail::inner_element_of<Object>, 1},
                       .enter = &json_detail::stay_and_reset<T, Reset>}};
}

/// An array that becomes a vector. `Leave`: as json_object's, of the vector.
template <auto Target, const auto& Object, auto Leave = nullptr>
constexpr auto array_field(std::string_view key) {
  JsonShape shape{.key = key,
                  .kind = JsonKind::array,
                  .children = {&json_detail::element_of<Object>, 1},
                  .enter = &json_detail::enter_list<Target, true>,
                  .write = json_detail::if_written<Object>(&json_detail::write_objects<Target, Object>)};
  if constexpr (!std::is_null_pointer_v<decltype(Leave)>) shape.leave = &json_detail::call<json_detail::Member<Target>, Leave>;
  return JsonField<json_detail::Owner<Target>>{shape};
}
/// The same; left out where it is empty.
template <auto Target, const auto& Object>
constexpr auto optional_array(std::string_view key) {
  JsonField<json_detail::Owner<Target>> field = array_field<Target, Object>(key);
  field.shape.write = &json_detail::write_if_any<Target, Object>;
  return field;
}
/// An array of texts that becomes a vector.
template <auto Target>
constexpr auto text_array(std::string_view key) {
  return JsonField<json_detail::Owner<Target>>{{.key = key,
                                                .kind = JsonKind::array,
                                                .children = {&json_detail::text_element, 1},
                                                .enter = &json_detail::enter_list<Target, true>,
                                                .write = &json_detail::write_texts<Target>}};
}
/// The same; written only where it has one.
template <auto Target>
constexpr auto optional_texts(std::string_view key) {
  JsonField<json_detail::Owner<Target>> field = text_array<Target>(key);
  field.shape.write = &json_detail::write_texts_if_any<Target>;
  return field;
}
/// One of many arrays that become one vector.
template <auto Target, const auto& Object>
constexpr auto joined_array(std::string_view key) {
  return JsonField<json_detail::Owner<Target>>{{.key = key,
                                                .kind = JsonKind::array,
                                                .children = {&json_detail::element_of<Object>, 1},
                                                .enter = &json_detail::enter_list<Target, false>}};
}

/// A document's name in messages, and its root.
template <class T>
class JsonForm {
 public:
  std::string_view name;
  JsonShape root;
  std::string (*check)(T& object) = nullptr;
  std::string_view missing = {};
};

/// `Check`: a function of the T, called by read_json() once all of the document is read; it returns a complaint, empty if there is none.
/// `missing`: what read_json() calls missing where a required field is; empty: the field's path.
template <const auto& Object, auto Check = nullptr>
constexpr JsonForm<json_detail::TypeOf<Object>> json_form(std::string_view name, std::string_view missing = {}) {
  const std::size_t bytes = std::max<std::size_t>(256, json_detail::element_bytes<json_detail::TypeOf<Object>>);
  return {name,
          {.kind = JsonKind::object, .children = Object.fields, .bytes = bytes, .enter = &json_detail::stay, .leave = Object.leave},
          Check,
          missing};
}

/// Reads a T chunk by chunk.
template <class T, const JsonForm<T>& form>
class PageParser {
 public:
  explicit PageParser(const ParseLimits& limits = {}) : page_(std::make_unique<T>()), parser_(form.name, form.root, page_.get(), limits) {}

  /// As JsonShapeParser.
  Result<void> feed(std::string_view chunk) { return parser_.feed(chunk); }
  Result<void> finish() { return parser_.finish(); }
  /// Valid after finish().
  T& page() { return *page_; }
  const std::string& next_page_token() const { return page_->next_page_token; }
  /// As JsonShapeParser.
  MemoryShare& memory() { return parser_.memory(); }

 private:
  std::unique_ptr<T> page_;
  JsonShapeParser parser_;
};

/// Reads a document that is in memory as a whole. `kept`, of the limits' account, takes over what it costs; null: nothing is kept of the
/// account. Errors: as JsonShapeParser, with those of check_required().
template <class T>
Result<void> read_json_into(T& object, const JsonForm<T>& form, std::string_view json, const ParseLimits& limits,
                            MemoryShare* kept = nullptr) {
  JsonShapeParser parser(form.name, form.root, &object, limits);
  Result<void> read = parser.feed(json);
  if (read) read = parser.finish();
  if (!read) return read;
  if (form.check) {
    if (const std::string complaint = form.check(object); !complaint.empty()) return malformed_document(form.name, complaint);
  }
  read = parser.check_required(form.missing);
  if (read && kept) kept->add(std::move(parser.memory()));
  return read;
}
template <class T>
Result<T> read_json(const JsonForm<T>& form, std::string_view json, const ParseLimits& limits, MemoryShare* kept = nullptr) {
  T object;
  if (const Result<void> read = read_json_into(object, form, json, limits, kept); !read) return read.error();
  return object;
}

/// Appends `{"name":value,…}`.
template <class T, std::size_t N>
void write_json(std::string& out, const JsonObject<T, N>& table, const T& object) {
  write_json_rows(out, table.fields, &object);
}
template <class T, std::size_t N>
std::string to_json(const JsonObject<T, N>& table, const T& object) {
  std::string out;
  write_json(out, table, object);
  return out;
}

}  // namespace rollcall
