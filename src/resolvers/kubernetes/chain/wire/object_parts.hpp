// Parts that Kubernetes objects of all kinds have: their names, owners and conditions. Read from a DOM; texts become printable and bounded.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// An entry of status.conditions.
class KubeCondition {
 public:
  KubeCondition() {}
  std::string type;
  std::string status;  ///< `True`, `False`, `Unknown`
  std::string reason;
  std::string message;
  std::optional<WallTime> since;
  bool is_true() const { return status == "True"; }
  bool is_false() const { return status == "False"; }
  friend bool operator==(const KubeCondition&, const KubeCondition&) = default;
};
/// Null: there is none of that type.
const KubeCondition* find_condition(const std::vector<KubeCondition>& conditions, std::string_view type);

/// What any object says of itself and of its controller.
class KubeObject {
 public:
  KubeObject() {}
  std::string api_version;
  std::string kind;
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string queue;  ///< the label kueue.x-k8s.io/queue-name
  std::optional<WallTime> created;
  bool is_suspended = false;  ///< spec.suspend, or spec.runPolicy.suspend
  /// The owner that is its controller, without what only the owner itself says; its uid is empty if there is none.
  std::string owner_api_version;
  std::string owner_kind;
  std::string owner_name;
  std::string owner_uid;

  bool has_owner() const { return !owner_uid.empty() && !owner_kind.empty() && !owner_name.empty(); }
  /// `Job trainer`.
  std::string label() const { return kind + " " + name; }
  friend bool operator==(const KubeObject&, const KubeObject&) = default;
};

constexpr std::size_t max_cause_text = 600;  ///< bytes of a message that is kept
constexpr std::size_t max_name_text = 253;  ///< of a name, Kubernetes' own limit

/// Empty where there is no such text.
std::string text_at(const boost::json::value& object, std::string_view key, std::size_t max_bytes = max_name_text);
/// The text of `object[first][second]`.
std::string text_at(const boost::json::value& object, std::string_view first, std::string_view second, std::size_t max_bytes);
std::optional<WallTime> time_at(const boost::json::value& object, std::string_view key);
bool is_true_at(const boost::json::value& object, std::string_view key);
/// Absent: it is no whole number.
std::optional<std::int64_t> number_at(const boost::json::value& object, std::string_view key);
/// The elements of the array `object[key]`; null: there is none.
const boost::json::array* array_at(const boost::json::value& object, std::string_view key);
/// The object's conditions, at most 100.
std::vector<KubeCondition> conditions_at(const boost::json::value& object);

KubeObject object_of(const boost::json::value& document);
/// Errors: malformed_response, limit_exceeded.
Result<KubeObject> parse_object(std::string_view json, const ParseLimits& limits);

/// `gpu: 8` of a resource list, sorted by name; at most 100 entries.
std::map<std::string, std::string> resources_at(const boost::json::value& object, std::string_view key);
/// A whole number of devices, where the quantity is one: `8`, `"8"`, `"1k"`.
std::optional<std::int64_t> whole_devices(std::string_view quantity);

}  // namespace rollcall
