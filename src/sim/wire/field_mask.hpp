// Partial responses: `fields=name,networkEndpoints(ipAddress,port),labels/team,nodes/*`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/model/model.hpp"

namespace rollcall::sim {

/// A tree of field names. A node without children includes everything below; `*` matches every field.
class FieldMask {
 public:
  /// None for a text that is not a mask.
  static std::optional<FieldMask> parse(std::string_view text);

  /// The first path of this mask that is not in `schema`, which is a mask itself.
  std::optional<std::string> first_unknown(const FieldMask& schema) const;
  /// `value` with only the fields of the mask; arrays element by element.
  json::value apply(const json::value& value) const;
  bool is_leaf() const noexcept { return children_.empty(); }

 private:
  friend class MaskParser;
  const FieldMask* child(std::string_view name) const;
  std::map<std::string, FieldMask, std::less<>> children_;
};

}  // namespace rollcall::sim
