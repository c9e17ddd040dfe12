// Parses objects of a simulation file by forms, which map each key to a member.
//
//   constexpr auto port_form = file_form<Port>("port", id<&Port::name>("name", "name"), whole<&Port::number>("number", 1, 65535));
//
// All objects to which a form refers have static storage.
#pragma once

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "sim/file/file_reader.hpp"

namespace rollcall::sim {

/// One kind of object for the JSON Schema: its keys, each with its valid words, if these are known.
struct FileSection {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::span<const std::string_view>>> keys;
};
using FileSections = std::vector<FileSection>;

/// A key of an object in the file, and the function that parses its value.
template <class T>
class FileKey {
 public:
  std::string_view name;
  void (*read)(T& into, const FileValue& value, const FileKey& key) = nullptr;
  std::string_view noun = {};                       // for messages
  std::string_view placeholder = {};                // that an identifier may contain
  std::span<const std::string_view> words = {};     // all valid texts
  std::int64_t low = 0;
  std::int64_t high = 0;
  void (*describe)(FileSections& out) = nullptr;    // describes the objects below
};

/// One kind of object: its name in the JSON Schema, and its keys in the order of parsing.
template <class T, std::size_t N>
class FileForm {
 public:
  std::string_view section;
  std::array<FileKey<T>, N> keys;
};

/// Reports unknown keys of `object`, except "$schema" and keys that begin with "//", which are comments.
void complain_about_unknown(const FileValue& object, std::span<const std::string_view> known);

/// Parses the keys in the form's order, so that a later one may depend on an earlier one.
template <class T, std::size_t N>
void read_object(const FileValue& value, const FileForm<T, N>& form, T& into) {
  const json::object* const object = value.object();
  if (!object) return;
  std::vector<std::string_view> names;
  for (const FileKey<T>& key : form.keys) names.push_back(key.name);
  complain_about_unknown(value, names);
  for (const FileKey<T>& key : form.keys) {
    const json::value* const found = object->if_contains(key.name);
    if (found && !value.has_problem()) key.read(into, value.child(key.name, *found), key);
  }
}

/// Adds the form and the forms below it, each once.
template <class T, std::size_t N>
void describe_form(FileSections& out, const FileForm<T, N>& form) {
  if (std::any_of(out.begin(), out.end(), [&](const FileSection& known) { return known.name == form.section; })) return;
  FileSection section{form.section, {}};
  for (const FileKey<T>& key : form.keys) section.keys.emplace_back(key.name, key.words);
  out.push_back(std::move(section));
  for (const FileKey<T>& key : form.keys) {
    if (key.describe) key.describe(out);
  }
}

// The type into which a key is parsed: the owner of a member, or the first argument of a function.
template <class T, class Member>
T owner_of(Member T::*);
template <class T>
T owner_of(void (*)(T&, const FileValue&));

template <auto Member, auto... Below, class T>
auto& member_of(T& object) {
  if constexpr (sizeof...(Below) == 0) {
    return object.*Member;
  } else {
    return member_of<Below...>(object.*Member);
  }
}

/// Describes forms, for by() and each().
template <const auto&... Forms>
void describe(FileSections& out) {
  (describe_form(out, Forms), ...);
}

/// The value without conversion.
template <auto Member, auto... Below, class T = decltype(owner_of(Member))>
constexpr FileKey<T> member(std::string_view name) {
  return {name, [](T& into, const FileValue& value, const FileKey<T>&) {
            auto& place = member_of<Member, Below...>(into);
            if constexpr (requires { value.read(place); }) {
              value.read(place);
            } else {
              read_optional(place, value);
            }
          }};
}

/// A whole number within bounds.
template <auto Member, auto... Below, class T = decltype(owner_of(Member))>
constexpr FileKey<T> whole(std::string_view name, std::int64_t low, std::int64_t high) {
  FileKey<T> key{name, [](T& into, const FileValue& value, const FileKey<T>& self) {
                   auto& place = member_of<Member, Below...>(into);
                   const auto number = value.integer(self.low, self.high);
                   if (!number) return;
                   if constexpr (requires { *place; }) {
                     place.emplace(*number);
                   } else {
                     place = static_cast<std::remove_reference_t<decltype(place)>>(*number);
                   }
                 }};
  key.low = low;
  key.high = high;
  return key;
}

/// A text that is valid in a URL's path: FileValue::read_id().
template <auto Member, auto... Below, class T = decltype(owner_of(Member))>
constexpr FileKey<T> id(std::string_view name, std::string_view noun, std::string_view placeholder = {}) {
  return {name,
          [](T& into, const FileValue& value, const FileKey<T>& self) {
            value.read_id(member_of<Member, Below...>(into), self.noun, self.placeholder);
          },
          noun, placeholder};
}

/// A DNS label.
template <auto Member, auto... Below, class T = decltype(owner_of(Member))>
constexpr FileKey<T> label(std::string_view name, std::string_view noun) {
  return {name,
          [](T& into, const FileValue& value, const FileKey<T>& self) { value.read_label(member_of<Member, Below...>(into), self.noun); },
          noun};
}

/// FileValue::read_address().
template <auto Member, auto... Below, class T = decltype(owner_of(Member))>
constexpr FileKey<T> address(std::string_view name) {
  return {name, [](T& into, const FileValue& value, const FileKey<T>&) { value.read_address(member_of<Member, Below...>(into)); }};
}

/// One of several words, stored as text, or as its number in an enumerator or a flag.
template <auto Member, auto... Below, class T = decltype(owner_of(Member))>
constexpr FileKey<T> word(std::string_view name, std::string_view noun, std::span<const std::string_view> words) {
  return {name,
          [](T& into, const FileValue& value, const FileKey<T>& self) {
            auto& place = member_of<Member, Below...>(into);
            const auto number = value.word(self.noun, self.words);
            if (!number) return;
            if constexpr (requires { place = std::string(); }) {
              place = std::string(self.words[*number]);
            } else if constexpr (requires { *place; }) {
              place.emplace(static_cast<typename std::remove_reference_t<decltype(place)>::value_type>(*number));
            } else {
              place = static_cast<std::remove_reference_t<decltype(place)>>(*number);
            }
          },
          noun,
          {},
          words};
}

/// An object of that form.
template <const auto& Form, auto Member, class T = decltype(owner_of(Member))>
constexpr FileKey<T> object(std::string_view name) {
  FileKey<T> key{name, [](T& into, const FileValue& value, const FileKey<T>&) { read_object(value, Form, into.*Member); }};
  key.describe = &describe<Form>;
  return key;
}

/// Parsed by a function. `Describe` describes the forms that it uses.
template <auto Read, auto Describe = nullptr, class T = decltype(owner_of(+Read))>
constexpr FileKey<T> by(std::string_view name) {
  FileKey<T> key{name, [](T& into, const FileValue& value, const FileKey<T>&) { (+Read)(into, value); }};
  key.describe = Describe;
  return key;
}

/// A list whose elements are parsed by a function.
template <auto Read, auto Describe = nullptr, class T = decltype(owner_of(+Read))>
constexpr FileKey<T> each(std::string_view name) {
  FileKey<T> key = by<Read, Describe>(name);
  key.read = [](T& into, const FileValue& value, const FileKey<T>&) {
    read_list(value, [&into](const FileValue& one) { (+Read)(into, one); });
  };
  return key;
}

/// The keys of another form from number `First` on, applied to the member with that form.
template <const auto& Form, std::size_t First, auto Member, class T = decltype(owner_of(Member))>
constexpr auto keys_of() {
  constexpr std::size_t count = Form.keys.size() - First;
  std::array<FileKey<T>, count> out{};
  const auto put = [&out]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    const auto read = [](T& into, const FileValue& value, const FileKey<T>&) {
      constexpr const auto& key = Form.keys[First + I];
      key.read(into.*Member, value, key);
    };
    out[I] = {Form.keys[First + I].name, read};
    out[I].words = Form.keys[First + I].words;
    out[I].describe = Form.keys[First + I].describe;
  };
  [&put]<std::size_t... I>(std::index_sequence<I...>) {
    (put(std::integral_constant<std::size_t, I>()), ...);
  }(std::make_index_sequence<count>());
  return out;
}

// The number of keys in an argument of file_form(): one, or those of an array.
template <class Keys>
inline constexpr std::size_t key_count = 1;
template <class Key, std::size_t N>
inline constexpr std::size_t key_count<std::array<Key, N>> = N;

template <class T, class... Keys>
constexpr auto file_form(std::string_view section, const Keys&... keys) {
  FileForm<T, (key_count<Keys> + ...)> out{section, {}};
  std::size_t at = 0;
  const auto add = [&](const auto& more) {
    if constexpr (requires { more.begin(); }) {
      for (const FileKey<T>& key : more) out.keys[at++] = key;
    } else {
      out.keys[at++] = more;
    }
  };
  (add(keys), ...);
  return out;
}

}  // namespace rollcall::sim
