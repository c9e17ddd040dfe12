// Where the value of a document's field is kept: in a data member, in a member of a member, or behind a getter and a setter.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

namespace rollcall {

template <auto... Members>
class JsonPath {};
/// A member of a member: `json_path<&Member::state, &Condition::level>`. A member that is a pointer leads to what it points to.
template <auto... Members>
inline constexpr JsonPath<Members...> json_path{};

namespace json_detail {

// The class that a target belongs to, and the type of the value.
template <class Target>
class OwnerOf;
template <class T, class Member>
class OwnerOf<Member T::*> {
 public:
  using Type = T;
  using Value = Member;
};
template <class T, class Returned>
class OwnerOf<Returned (T::*)() const noexcept> {
 public:
  using Type = T;
  using Value = std::remove_cvref_t<Returned>;
};
template <class T, class Input>
class OwnerOf<std::string (*)(T&, Input)> {
 public:
  using Type = T;
};
template <class T>
class OwnerOf<void (*)(std::string&, const T&)> {
 public:
  using Type = T;
};
template <auto First>
class OwnerOf<JsonPath<First>> : public OwnerOf<decltype(First)> {};
template <auto First, auto Second, auto... Rest>
class OwnerOf<JsonPath<First, Second, Rest...>> {
 public:
  using Type = typename OwnerOf<decltype(First)>::Type;
  using Value = typename OwnerOf<JsonPath<Second, Rest...>>::Value;
};
template <auto Target>
using Owner = typename OwnerOf<std::remove_const_t<decltype(Target)>>::Type;
template <auto Target>
using Member = typename OwnerOf<std::remove_const_t<decltype(Target)>>::Value;

template <auto Get>
using Setter = Owner<Get>& (Owner<Get>::*)(Member<Get>)&;

}  // namespace json_detail

template <auto Get, json_detail::Setter<Get> Set>
class JsonProperty {};
/// A value behind a getter and a setter that returns the object: `json_property<&Failure::hint, &Failure::with_hint>`.
template <auto Get, json_detail::Setter<Get> Set>
inline constexpr JsonProperty<Get, Set> json_property{};

namespace json_detail {

template <auto Get, Setter<Get> Set>
class OwnerOf<JsonProperty<Get, Set>> : public OwnerOf<decltype(Get)> {};

template <class T>
auto& pointed_to(T& value) {
  if constexpr (std::is_pointer_v<T>) {
    return *value;
  } else {
    return value;
  }
}

template <class T, class First, class... Rest>
auto& value_in(T& owner, First first, Rest... rest) {
  auto& value = owner.*first;
  if constexpr (sizeof...(rest) == 0) {
    return value;
  } else {
    return value_in(pointed_to(value), rest...);
  }
}
template <class T, auto... Members>
auto& value_in(T& owner, JsonPath<Members...>) {
  return value_in(owner, Members...);
}
template <class T, auto Get, Setter<Get> Set>
decltype(auto) value_in(const T& owner, JsonProperty<Get, Set>) {
  return (owner.*Get)();
}

// Reads `input` as a value of `Kind`. Returns the complaint, empty if there is none.
template <class Kind, class T, class Target, class Input>
std::string read_into(T& owner, Target target, Input input) {
  return Kind::read(value_in(owner, target), input);
}
template <class Kind, class T, auto Get, Setter<Get> Set, class Input>
std::string read_into(T& owner, JsonProperty<Get, Set>, Input input) {
  Member<Get> value{};
  std::string complaint = Kind::read(value, input);
  (owner.*Set)(std::move(value));
  return complaint;
}

}  // namespace json_detail
}  // namespace rollcall
