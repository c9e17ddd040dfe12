// The warning that Compute Engine adds to a list that is not complete.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json_fields.hpp"

namespace rollcall {

/// `{"code": "UNREACHABLE", "message": "…", "data": [{"key": "scope", "value": "zones/us-central1-a"}]}`. Absent texts are empty.
class ListWarning {
 public:
  ListWarning() {}
  std::string code;
  std::string message;
  std::vector<std::pair<std::string, std::string>> data;

  bool empty() const { return code.empty() && message.empty() && data.empty(); }
  /// True for all warnings except those known to be unrelated to missing items.
  bool is_serious() const;
  /// `UNREACHABLE: The zone is unreachable. (scope zones/us-central1-a)`, safe to print, of bounded length.
  std::string describe() const;

  friend bool operator==(const ListWarning&, const ListWarning&) = default;
};

using ListWarningDatum = std::pair<std::string, std::string>;
inline constexpr auto list_warning_datum_fields =
    json_object<ListWarningDatum>(text_field<&ListWarningDatum::first>("key"), text_field<&ListWarningDatum::second>("value"));
/// The field `warning`, for other documents' tables.
inline constexpr auto list_warning_fields =
    json_object<ListWarning>(text_field<&ListWarning::code>("code"), text_field<&ListWarning::message>("message"),
                             array_field<&ListWarning::data, list_warning_datum_fields>("data"));

}  // namespace rollcall
