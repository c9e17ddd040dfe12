// What targets exist: for make_resolver, for the command's help, completions and man page.
#pragma once

#include <span>
#include <string_view>

#include "rollcall/target.hpp"

namespace rollcall {

class TargetScheme {
 public:
  std::string_view name;       ///< without the colon
  std::string_view synopsis;   ///< `tpu:NAME[,project=P][,zone=Z]`
  std::string_view summary;    ///< one line
  std::string_view example;
  std::span<const std::string_view> keys;
  std::span<const std::string_view> key_meanings;  ///< one for each key
  bool takes_jobs = false;     ///< `job.NAME=a+b`
};

std::span<const TargetScheme> target_schemes();
const TargetScheme* find_scheme(std::string_view name) noexcept;  ///< null: there is none

/// Whether the scheme has all of the target's keys. Errors: invalid_argument naming the key and what was probably meant.
Result<void> check_keys(const Target& target, const TargetScheme& scheme);

}  // namespace rollcall
