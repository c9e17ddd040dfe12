#include "sim/wire/field_mask.hpp"

#include <algorithm>

namespace rollcall::sim {

class MaskParser {
 public:
  explicit MaskParser(std::string_view text) : rest_(text) {}

  bool list(FieldMask& into, int depth) {
    while (true) {
      if (!item(into, depth)) return false;
      if (!take(',')) return true;
    }
  }
  bool at_end() const { return rest_.empty(); }

 private:
  bool item(FieldMask& into, int depth) {
    if (depth > 16) return false;
    const std::size_t end = std::min(rest_.find_first_of(",/()"), rest_.size());
    std::string_view name = rest_.substr(0, end);
    while (name.starts_with(' ')) name.remove_prefix(1);
    if (name.empty()) return false;
    rest_.remove_prefix(end);
    FieldMask& child = into.children_[std::string(name)];
    if (take('/')) return item(child, depth + 1);
    if (take('(')) return list(child, depth + 1) && take(')');
    return true;
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
};

std::optional<FieldMask> FieldMask::parse(std::string_view text) {
  FieldMask mask;
  MaskParser parser(text);
  if (text.size() > 16384 || !parser.list(mask, 0) || !parser.at_end()) return std::nullopt;
  return mask;
}

const FieldMask* FieldMask::child(std::string_view name) const {
  auto found = children_.find(name);
  if (found == children_.end()) found = children_.find(std::string_view("*"));
  return found == children_.end() ? nullptr : &found->second;
}

std::optional<std::string> FieldMask::first_unknown(const FieldMask& schema) const {
  for (const auto& [name, below] : children_) {
    if (name == "*") {
      if (schema.is_leaf()) return name;
      for (const auto& [field, schema_below] : schema.children_) {
        if (schema_below.is_leaf() || below.is_leaf()) continue;
        if (const auto unknown = below.first_unknown(schema_below)) return field + "/" + *unknown;
      }
      continue;
    }
    const FieldMask* const known = schema.child(name);
    if (!known) return name;
    if (below.is_leaf()) continue;
    if (known->is_leaf()) return name + "/" + below.children_.begin()->first;
    if (const auto unknown = below.first_unknown(*known)) return name + "/" + *unknown;
  }
  return std::nullopt;
}

json::value FieldMask::apply(const json::value& value) const {
  if (is_leaf()) return value;
  if (const json::array* array = value.if_array()) {
    json::array out;
    for (const json::value& element : *array) out.push_back(apply(element));
    return out;
  }
  const json::object* object = value.if_object();
  if (!object) return value;
  json::object out;
  for (const auto& [key, field] : *object) {
    if (const FieldMask* const below = child(key)) out[key] = below->apply(field);
  }
  return out;
}

}  // namespace rollcall::sim
