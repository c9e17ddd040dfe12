// What Compute Engine adds to a list that it could not make complete.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json_shape.hpp"

namespace rollcall {

/// `{"code": "UNREACHABLE", "message": "…", "data": [{"key": "scope", "value": "zones/us-central1-a"}]}`. Absent texts are empty.
class ListWarning {
 public:
  ListWarning() {}
  std::string code;
  std::string message;
  std::vector<std::pair<std::string, std::string>> data;

  bool empty() const { return code.empty() && message.empty() && data.empty(); }
  /// Every warning but those known to say nothing of what is missing.
  bool is_serious() const;
  /// `UNREACHABLE: The zone is unreachable. (scope zones/us-central1-a)`, safe to print, of bounded length.
  std::string describe() const;

  friend bool operator==(const ListWarning&, const ListWarning&) = default;
};

// For the tables of other documents: the field `warning`, and what their visitors do with its ids.
enum ListWarningId : int { warning_id = 1000, warning_code, warning_message, warning_data, warning_datum, warning_key, warning_value };
inline constexpr JsonShape warning_datum_fields[] = {{"key", JsonKind::text, warning_key}, {"value", JsonKind::text, warning_value}};
inline constexpr JsonShape warning_data_element[] = {{"", JsonKind::object, warning_datum, warning_datum_fields, 4 * sizeof(std::string)}};
inline constexpr JsonShape warning_fields[] = {{"code", JsonKind::text, warning_code},
                                               {"message", JsonKind::text, warning_message},
                                               {"data", JsonKind::array, warning_data, warning_data_element}};
inline constexpr JsonShape list_warning_shape = {"warning", JsonKind::object, warning_id, warning_fields};
void begin_list_warning(ListWarning& warning, int id);
void set_list_warning(ListWarning& warning, int id, std::string_view text);

}  // namespace rollcall
