// The functions behind a row of a table (json_fields.hpp): each reads a value into an object of the row's type, or writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "json/json_shape.hpp"
#include "json/json_target.hpp"
#include "json/json_text.hpp"
#include "json/json_write.hpp"

namespace rollcall::json_detail {

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

// False for a value behind a pointer to const: its document is only written.
template <class T, class Target>
constexpr bool can_be_read(Target) {
  return !std::is_const_v<std::remove_reference_t<decltype(pointed_to(value_in(std::declval<T&>(), std::declval<Target>())))>>;
}
template <class T, auto Get, Setter<Get> Set>
constexpr bool can_be_read(JsonProperty<Get, Set>) {
  return true;
}
template <auto Target>
inline constexpr bool is_read = can_be_read<Owner<Target>>(Target);

template <auto Target, class Kind>
std::string read_text(void* object, std::string_view value) {
  if constexpr (is_read<Target>) return read_into<Kind>(*static_cast<Owner<Target>*>(object), Target, value);
  return {};
}
template <auto Target, class Kind>
std::string read_integer(void* object, std::optional<std::int64_t> value) {
  if constexpr (is_read<Target>) {
    auto& owner = *static_cast<Owner<Target>*>(object);
    if constexpr (requires { Kind::takes_null; }) return read_into<Kind>(owner, Target, value);
    return read_into<Kind>(owner, Target, value.value_or(0));
  }
  return {};
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
auto& member_of(void* object) {
  return value_in(*static_cast<Owner<Target>*>(object), Target);
}
template <auto Target, bool is_emptied>
void* enter_member(void* object, bool) {
  if constexpr (is_read<Target>) {
    auto& member = member_of<Target>(object);
    if constexpr (is_emptied) member = {};
    return &member;
  }
  return nullptr;
}
template <auto Target>
void* enter_optional(void* object, bool is_absent) {
  auto& slot = member_of<Target>(object);
  if (!is_absent) return &slot.emplace();
  slot.reset();
  return nullptr;
}
template <auto Target>
void* enter_new(void* object, bool is_absent) {
  auto& list = member_of<Target>(object);
  return is_absent ? nullptr : &list.emplace_back();
}
template <auto Target, bool is_emptied>
void* enter_list(void* object, bool) {
  if constexpr (is_read<Target>) {
    auto& list = member_of<Target>(object);
    if constexpr (is_emptied) list.clear();
    return &list;
  }
  return nullptr;
}
template <class T>
void* add_element(void* list, bool) {
  return &static_cast<std::vector<T>*>(list)->emplace_back();
}
inline std::string add_text(void* list, std::string_view value) {
  static_cast<std::vector<std::string>*>(list)->emplace_back(value);
  return {};
}

template <auto Target>
const auto& written_member(const void* object) {
  return pointed_to(value_in(*static_cast<const Owner<Target>*>(object), Target));
}
template <auto Target, class Kind>
bool write_value(std::string& out, const void* object) {
  const auto& value = value_in(*static_cast<const Owner<Target>*>(object), Target);
  return Kind::write(out, pointed_to(value));
}
template <auto Write>
bool write_by(std::string& out, const void* object) {
  Write(out, *static_cast<const Owner<Write>*>(object));
  return true;
}
template <auto Target, const auto& Object>
bool write_object(std::string& out, const void* object) {
  write_json_rows(out, Object.fields, &written_member<Target>(object));
  return true;
}
template <auto Target, const auto& Object>
bool write_optional(std::string& out, const void* object) {
  const auto& slot = value_in(*static_cast<const Owner<Target>*>(object), Target);
  if (!slot) return false;
  write_json_rows(out, Object.fields, &*slot);
  return true;
}
template <auto Target, const auto& Object>
bool write_objects(std::string& out, const void* object) {
  out += '[';
  for (const auto& element : written_member<Target>(object)) {
    if (out.back() != '[') out += ',';
    write_json_rows(out, Object.fields, &element);
  }
  out += ']';
  return true;
}
template <auto Target, const auto& Object>
bool write_if_any(std::string& out, const void* object) {
  return !written_member<Target>(object).empty() && write_objects<Target, Object>(out, object);
}
template <auto Target>
bool write_texts(std::string& out, const void* object) {
  out += '[';
  for (const std::string& text : written_member<Target>(object)) {
    if (out.back() != '[') out += ',';
    append_json_string(out, text);
  }
  out += ']';
  return true;
}
template <auto Target>
bool write_texts_if_any(std::string& out, const void* object) {
  return !written_member<Target>(object).empty() && write_texts<Target>(out, object);
}
// For a table of rows that are only read: null.
template <const auto& Object>
constexpr auto if_written(bool (*write)(std::string&, const void*)) {
  for (const JsonShape& row : Object.fields) {
    if (row.write) return write;
  }
  return static_cast<decltype(write)>(nullptr);
}

template <class T>
inline constexpr std::size_t element_bytes = 2 * sizeof(T);
template <const auto& Object>
using TypeOf = typename std::remove_cvref_t<decltype(Object)>::Type;
template <const auto& Object>
inline constexpr JsonShape element_of = {.kind = JsonKind::object,
                                         .children = Object.fields,
                                         .bytes = element_bytes<TypeOf<Object>>,
                                         .enter = &add_element<TypeOf<Object>>,
                                         .leave = Object.leave};
template <const auto& Object>
inline constexpr JsonShape inner_element_of = {.kind = JsonKind::object, .children = Object.fields, .enter = &stay, .leave = Object.leave};
inline constexpr JsonShape text_element = {.set_text = &add_text};

}  // namespace rollcall::json_detail
