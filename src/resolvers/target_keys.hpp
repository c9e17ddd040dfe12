// The keys of a resolver's target as one table. A row has the key, the parser of its value, the setter of the options, and
// the help text:
//
//   constexpr TargetKeys keys(text_key("job", &DnsOptions::job, "default: worker"),
//                             task_key("task", &DnsOptions::task_id, "this task's index"));
//
// Help, completion and man page read keys.names. The resolver's maker calls keys.set(target, options).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "rollcall/target_scheme.hpp"

namespace rollcall {

template <class Value>
using TargetWord = std::pair<std::string_view, Value>;  ///< a word that is a valid value, and its meaning

/// The value of one key in a target.
class TargetValue {
 public:
  const Target& target;
  std::string_view key;
  const std::vector<std::string>& items;

  std::string text() const;  ///< the items, joined by `+`
  /// The failure with the message `SCHEME: KEY='text' TROUBLE`.
  Failure wrong(std::string_view trouble, std::size_t max_bytes = 256) const;
  /// The meaning of the text by `words`. Errors: wrong(trouble) if it is not among them.
  template <class Value, std::size_t N>
  Result<Value> word(const TargetWord<Value> (&words)[N], std::string_view trouble) const {
    const std::string given = text();
    const auto row = std::find_if(std::begin(words), std::end(words), [&](const auto& word) { return word.first == given; });
    if (row == std::end(words)) return wrong(trouble, 80);
    return row->second;
  }
};

Result<std::string> read_text(const TargetValue& value);
/// Errors: invalid_argument if the text is the content of a file instead of a path.
Result<std::string> read_path(const TargetValue& value);
Result<std::uint16_t> read_port(const TargetValue& value);
Result<int> read_task(const TargetValue& value);
Result<int> read_count(const TargetValue& value);
Result<bool> read_flag(const TargetValue& value);

/// Errors: invalid_argument if the target has a body, although the resolver `finds` its cluster by itself ("reads the variable TF_CONFIG").
Result<void> check_no_name(const Target& target, std::string_view finds, std::string_view hint = {});

template <class Read, class Set>
class KeyRow {
 public:
  TargetKey name;
  Read read;
  Set setter;

  using Value = typename std::invoke_result_t<Read, const TargetValue&>::value_type;
  /// Several classes of options may share a row. The row is ignored for a class without its setter.
  template <class Options>
  Result<void> set(const TargetValue& value, Options& options) const {
    if constexpr (std::is_invocable_v<Set, Options&, Value>) {
      Result<Value> read_value = read(value);
      if (!read_value) return read_value.error();
      std::invoke(setter, options, *std::move(read_value));
    }
    return {};
  }
};

/// A row with one function that checks and sets the value.
template <class Options>
class OwnKeyRow {
 public:
  TargetKey name;
  Result<void> (*read_and_set)(const TargetValue& value, Options& options);

  Result<void> set(const TargetValue& value, Options& options) const { return read_and_set(value, options); }
};

/// The same setter of two classes of options.
template <class A, class B, class Value>
class SetterOfTwo {
 public:
  A& (A::*first)(Value);
  B& (B::*second)(Value);
  void operator()(A& options, Value value) const { (options.*first)(std::move(value)); }
  void operator()(B& options, Value value) const { (options.*second)(std::move(value)); }
};

template <class A, class B, class Value>
constexpr SetterOfTwo<A, B, Value> either(A& (A::*first)(Value), B& (B::*second)(Value)) {
  return {first, second};
}

// The kinds of rows. Each function template deduces the setter by its parameter, since getters share the setters' names. A key that names a
// file or a server is a path_key or a trusted() row.
template <class Options>
constexpr auto text_key(std::string_view key, Options& (Options::*setter)(std::string), std::string_view help) {
  return KeyRow<decltype(&read_text), decltype(setter)>{{key, help}, &read_text, setter};
}
template <class A, class B>
constexpr auto text_key(std::string_view key, SetterOfTwo<A, B, std::string> setter, std::string_view help) {
  return KeyRow<decltype(&read_text), decltype(setter)>{{key, help}, &read_text, setter};
}
template <class Options>
constexpr auto path_key(std::string_view key, Options& (Options::*setter)(std::string), std::string_view help) {
  return KeyRow<decltype(&read_path), decltype(setter)>{{key, help, true}, &read_path, setter};
}
/// Marks a row of a server, to which a token may be sent, or of a file.
template <class Row>
constexpr Row trusted(Row row) {
  row.name.needs_trust = true;
  return row;
}
template <class Options, class Value>
constexpr auto port_key(std::string_view key, Options& (Options::*setter)(Value), std::string_view help) {
  return KeyRow<decltype(&read_port), decltype(setter)>{{key, help}, &read_port, setter};
}
template <class Options, class Value>
constexpr auto task_key(std::string_view key, Options& (Options::*setter)(Value), std::string_view help) {
  return KeyRow<decltype(&read_task), decltype(setter)>{{key, help}, &read_task, setter};
}
template <class Options>
constexpr auto count_key(std::string_view key, Options& (Options::*setter)(int), std::string_view help) {
  return KeyRow<decltype(&read_count), decltype(setter)>{{key, help}, &read_count, setter};
}
template <class Options>
constexpr auto flag_key(std::string_view key, Options& (Options::*setter)(bool), std::string_view help) {
  return KeyRow<decltype(&read_flag), decltype(setter)>{{key, help}, &read_flag, setter};
}
/// `trouble` is the end of the message for another word: "is neither name nor rank".
template <class Options, class Value, std::size_t N>
constexpr auto word_key(std::string_view key, Options& (Options::*setter)(Value), const TargetWord<Value> (&words)[N],
                        std::string_view trouble, std::string_view help) {
  const auto read = [&words, trouble](const TargetValue& value) { return value.word(words, trouble); };
  return KeyRow<decltype(read), decltype(setter)>{{key, help}, read, setter};
}
template <class A, class B, class Value, std::size_t N>
constexpr auto word_key(std::string_view key, SetterOfTwo<A, B, Value> setter, const TargetWord<Value> (&words)[N],
                        std::string_view trouble, std::string_view help) {
  const auto read = [&words, trouble](const TargetValue& value) { return value.word(words, trouble); };
  return KeyRow<decltype(read), decltype(setter)>{{key, help}, read, setter};
}
template <class Options>
constexpr auto own_key(std::string_view key, Result<void> (*read_and_set)(const TargetValue&, Options&), std::string_view help) {
  return OwnKeyRow<Options>{{key, help}, read_and_set};
}

template <class... Rows>
class TargetKeys {
 public:
  constexpr explicit TargetKeys(Rows... rows) : names{rows.name...}, rows_(rows...) {}

  std::array<TargetKey, sizeof...(Rows)> names;

  /// Sets the target's values, in the order of the rows. Errors: invalid_argument of the first row whose value is invalid.
  template <class Options>
  Result<void> set(const Target& target, Options& options) const {
    Result<void> done;
    const auto set_one = [&](const auto& row) {
      for (const auto& [key, items] : target.options) {
        if (key == row.name.name) done = row.set(TargetValue{target, key, items}, options);
      }
      return done.has_value();
    };
    std::apply([&](const auto&... row) { return (set_one(row) && ...); }, rows_);
    return done;
  }

 private:
  std::tuple<Rows...> rows_;
};

}  // namespace rollcall
