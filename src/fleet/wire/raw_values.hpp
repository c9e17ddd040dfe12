// What several documents of the service have, checked: names, addresses, numbers, words. A complaint says what is wrong; empty: nothing is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fleet/wire/documents.hpp"

namespace rollcall::fleet {

/// Of a job's name: it is taken as it is or not at all, since one that was changed would name another job.
std::string job_name_fault(std::string_view name);

/// Whether it is `host:port`, or a host, of those that service_host() takes.
bool is_member_address(std::string_view text);

std::string set_raw_position(std::optional<Position>& slot, std::string_view text);
std::string set_raw_generation(std::optional<std::uint64_t>& slot, std::int64_t number);
/// At most a year is told.
std::string set_raw_age(Age& slot, std::int64_t milliseconds);

/// One of `count` values of an enumeration from `first` on, by its word.
template <class Value>
std::optional<Value> value_named(std::string_view word, std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < first + count; ++i) {
    if (to_string(static_cast<Value>(i)) == word) return static_cast<Value>(i);
  }
  return std::nullopt;
}

/// malformed_response: `DOCUMENT: WHAT`.
Failure malformed_document(std::string_view document, std::string_view what);

}  // namespace rollcall::fleet
