// Describes a document's fields by member pointers: each field is listed once, with its destination.
//
//   constexpr auto port = json_object<Port>(text_field<&Port::name>("name"), integer_field<&Port::number, port_complaint>("port"));
//   constexpr auto page = json_object<Page>(array_field<&Page::ports, port>("namedPorts"));
//   constexpr JsonForm<Page> form = json_form<page>("the list of ports");
//
// A value goes to a data member, which may have a check, or to a function of the object and the value. Checks and functions return a
// complaint, empty if there is none. Objects that a table refers to have static storage.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "json/json_shape.hpp"

namespace rollcall {

/// A field of T.
template <class T>
class JsonField {
 public:
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

// The class of a member pointer, or of the object parameter of a function of an object and a value.
template <class Target>
class OwnerOf;
template <class T, class Member>
class OwnerOf<Member T::*> {
 public:
  using Type = T;
  using Value = Member;
};
template <class T, class Value>
class OwnerOf<std::string (*)(T&, Value)> {
 public:
  using Type = T;
};
template <auto Target>
using Owner = typename OwnerOf<decltype(Target)>::Type;
template <auto Target>
using Member = typename OwnerOf<decltype(Target)>::Value;

template <auto Target, auto Check, class Value>
std::string set(void* object, const Value& value) {
  auto& owner = *static_cast<Owner<Target>*>(object);
  if constexpr (std::is_member_object_pointer_v<decltype(Target)>) {
    owner.*Target = value;
    if constexpr (!std::is_null_pointer_v<decltype(Check)>) return Check(value);
    return {};
  } else {
    return Target(owner, value);
  }
}
template <auto Target, auto Check>
std::string set_text(void* object, std::string_view value) {
  return set<Target, Check>(object, value);
}
template <auto Target, auto Check>
std::string set_integer(void* object, std::optional<std::int64_t> value) {
  return set<Target, Check>(object, value.value_or(0));
}

template <class T, auto Hook>
std::string call(void* object) {
  return Hook(*static_cast<T*>(object));
}
inline void* stay(void* object, bool) { return object; }
template <class T, auto Reset>
void* stay_and_reset(void* object, bool) {
  Reset(*static_cast<T*>(object));
  return object;
}
template <auto Target>
void* enter_member(void* object, bool) {
  auto& member = static_cast<Owner<Target>*>(object)->*Target;
  member = {};
  return &member;
}
template <auto Target>
void* enter_new(void* object, bool is_absent) {
  auto& list = static_cast<Owner<Target>*>(object)->*Target;
  return is_absent ? nullptr : &list.emplace_back();
}
template <auto Target, bool empties>
void* enter_list(void* object, bool) {
  auto& list = static_cast<Owner<Target>*>(object)->*Target;
  if constexpr (empties) list.clear();
  return &list;
}
template <class T>
void* add_element(void* list, bool) {
  return &static_cast<std::vector<T>*>(list)->emplace_back();
}
inline std::string add_text(void* list, std::string_view value) {
  static_cast<std::vector<std::string>*>(list)->emplace_back(value);
  return {};
}

template <class T>
inline constexpr std::size_t element_bytes = 2 * sizeof(T);
template <const auto& Object>
inline constexpr JsonShape element_of = {.kind = JsonKind::object,
                                         .children = Object.fields,
                                         .bytes = element_bytes<typename std::remove_cvref_t<decltype(Object)>::Type>,
                                         .enter = &add_element<typename std::remove_cvref_t<decltype(Object)>::Type>,
                                         .leave = Object.leave};
template <const auto& Object>
inline constexpr JsonShape inner_element_of = {.kind = JsonKind::object, .children = Object.fields, .enter = &stay, .leave = Object.leave};
inline constexpr JsonShape text_element = {.set_text = &add_text};

}  // namespace json_detail

template <const auto& Object>
using JsonTypeOf = typename std::remove_cvref_t<decltype(Object)>::Type;

/// `Leave`: a function that is called at the object's end and may return a complaint, std::string (*)(T&).
template <class T, auto Leave = nullptr, std::same_as<JsonField<T>>... Fields>
constexpr JsonObject<T, sizeof...(Fields)> json_object(Fields... fields) {
  if constexpr (std::is_null_pointer_v<decltype(Leave)>) {
    return {{fields.shape...}, nullptr};
  } else {
    return {{fields.shape...}, &json_detail::call<T, Leave>};
  }
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
                                                .enter = &json_detail::enter_member<Target>,
                                                .leave = Object.leave}};
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
  using T = JsonTypeOf<Object>;
  JsonShape shape{.key = key, .kind = JsonKind::object, .children = Object.fields, .enter = &json_detail::stay, .leave = Object.leave};
  if constexpr (!std::is_null_pointer_v<decltype(Reset)>) shape.enter = &json_detail::stay_and_reset<T, Reset>;
  return JsonField<T>{shape};
}
/// The same for the objects of an array.
template <const auto& Object, auto Reset>
constexpr auto inner_array(std::string_view key) {
  using T = JsonTypeOf<Object>;
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
                  .enter = &json_detail::enter_list<Target, true>};
  if constexpr (!std::is_null_pointer_v<decltype(Leave)>) shape.leave = &json_detail::call<json_detail::Member<Target>, Leave>;
  return JsonField<json_detail::Owner<Target>>{shape};
}
/// The same for texts.
template <auto Target>
constexpr auto text_array(std::string_view key) {
  return JsonField<json_detail::Owner<Target>>{
      {.key = key, .kind = JsonKind::array, .children = {&json_detail::text_element, 1}, .enter = &json_detail::enter_list<Target, true>}};
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
};

template <const auto& Object>
constexpr JsonForm<JsonTypeOf<Object>> json_form(std::string_view name) {
  const std::size_t bytes = std::max<std::size_t>(256, json_detail::element_bytes<JsonTypeOf<Object>>);
  return {name, {.kind = JsonKind::object, .children = Object.fields, .bytes = bytes, .enter = &json_detail::stay, .leave = Object.leave}};
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

/// A document that is already in memory. `kept`, of the limits' account, takes over the memory charge; null: the charge is released.
template <class T>
Result<T> read_json(const JsonForm<T>& form, std::string_view json, const ParseLimits& limits, MemoryShare* kept = nullptr) {
  T object;
  JsonShapeParser parser(form.name, form.root, &object, limits);
  if (Result<void> fed = parser.feed(json); !fed) return fed.error();
  if (Result<void> ended = parser.finish(); !ended) return ended.error();
  if (kept) kept->add(std::move(parser.memory()));
  return object;
}

}  // namespace rollcall
