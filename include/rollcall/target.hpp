// Targets: a resolver and its options in one word, `scheme:body[,key=value]…`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// `tpu:trainer,zone=us-central2-b` · `tpu:grpc://10.0.0.1:8470,grpc://10.0.0.2` · `simple:job.worker=a:1+b:2` ·
/// `kubernetes:train,job.worker=app=x+tier=y,port=8470`. The body ends at the first `,key=`, where a key is `[a-z][a-z0-9_]*` or
/// `job.NAME`; a target whose body is empty may start with a key directly (`simple:job.worker=a:1`). Items of a list inside a value are
/// joined by `+`; an empty value is a list without items. A comma inside a value, or a `+` inside an item, is written %2C or %2B. When
/// printed, every byte except letters, digits, `.-_:/@` and `:,=+%` in their grammatical roles is percent-escaped, including brackets and
/// `~`: a printed target needs no quoting in bash or zsh. parse() accepts any byte above a blank unescaped.
class Target {
 public:
  Target() {}
  /// Errors: invalid_argument naming the text and the fault (no scheme, bad escape, duplicate key, over 64 kB).
  static Result<Target> parse(std::string_view text);
  /// Round-trips through parse(), except for a list with one empty item: the result is the list without items. The scheme and the keys must
  /// conform to the grammar.
  std::string to_text() const;

  std::string scheme;
  std::string body;  ///< decoded
  std::vector<std::pair<std::string, std::vector<std::string>>> options;  ///< in order; decoded items

  std::optional<std::string> get(std::string_view key) const;  ///< items joined by '+'
  friend bool operator==(const Target&, const Target&) = default;
};

}  // namespace rollcall
