#include "resolvers/kubernetes/workload/wire/object_view.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/text.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_listed = 4096;  // of one list or object; the API server's own limits are lower

}  // namespace

const boost::json::value* ObjectView::find(std::string_view key) const { return object_ ? rollcall::find(*object_, key) : nullptr; }

std::string ObjectView::path_of(std::string_view key) const { return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key); }

void ObjectView::complain(std::string_view key, std::string_view what) const {
  if (complaint_->empty()) *complaint_ = fmt::format("{} {}", printable(path_of(key), 200), what);
}

ObjectView ObjectView::at(std::string_view key) const {
  const boost::json::value* const value = find(key);
  if (value && !value->is_object()) complain(key, fmt::format("is {}, not an object", kind_name(*value)));
  return {value && value->is_object() ? value : nullptr, path_of(key), complaint_};
}

std::string ObjectView::text(std::string_view key, std::size_t max_bytes) const {
  const boost::json::value* const value = find(key);
  if (!value) return {};
  if (!value->is_string()) {
    complain(key, fmt::format("is {}, not a text", kind_name(*value)));
    return {};
  }
  return std::string(std::string_view(value->get_string()).substr(0, max_bytes));
}

bool ObjectView::flag(std::string_view key) const {
  const boost::json::value* const value = find(key);
  if (!value) return false;
  if (!value->is_bool()) {
    complain(key, fmt::format("is {}, not a boolean", kind_name(*value)));
    return false;
  }
  return value->get_bool();
}

std::optional<int> ObjectView::number(std::string_view key) const {
  const boost::json::value* const value = find(key);
  if (!value) return std::nullopt;
  constexpr int most = std::numeric_limits<int>::max();
  if (value->is_uint64()) return most;
  if (!value->is_int64()) {
    complain(key, fmt::format("is {}, not a whole number", value->is_double() ? "a fraction" : kind_name(*value)));
    return std::nullopt;
  }
  const std::int64_t number = value->get_int64();
  if (number < 0) {
    complain(key, fmt::format("is {}, no number of pods", number));
    return std::nullopt;
  }
  return number > most ? most : static_cast<int>(number);
}

std::vector<ObjectView> ObjectView::list(std::string_view key) const {
  std::vector<ObjectView> views;
  const boost::json::value* const value = find(key);
  if (!value) return views;
  const boost::json::array* const array = value->if_array();
  if (!array) {
    complain(key, fmt::format("is {}, not an array", kind_name(*value)));
    return views;
  }
  if (array->size() > max_listed) {
    complain(key, fmt::format("has {} entries, more than {}", array->size(), max_listed));
    return views;
  }
  for (std::size_t i = 0; i < array->size(); ++i) {
    const std::string path = fmt::format("{}[{}]", path_of(key), i);
    if (!(*array)[i].is_object()) {
      complain(fmt::format("{}[{}]", key, i), fmt::format("is {}, not an object", kind_name((*array)[i])));
      return views;
    }
    views.push_back(ObjectView(&(*array)[i], path, complaint_));
  }
  return views;
}

std::vector<std::pair<std::string, ObjectView>> ObjectView::map(std::string_view key) const {
  std::vector<std::pair<std::string, ObjectView>> views;
  const ObjectView inner = at(key);
  if (!inner.object_) return views;
  const boost::json::object& members = inner.object_->get_object();
  if (members.size() > max_listed) {
    complain(key, fmt::format("has {} entries, more than {}", members.size(), max_listed));
    return views;
  }
  for (const auto& [name, value] : members) {
    const std::string text(std::string_view(name.data(), name.size()).substr(0, 256));
    if (value.is_null()) continue;
    views.emplace_back(text, inner.at(name));
  }
  return views;
}

ObjectView::Labels ObjectView::labels(std::string_view key) const {
  Labels texts;
  const ObjectView inner = at(key);
  if (!inner.object_) return texts;
  for (const auto& [name, value] : inner.object_->get_object()) {
    if (texts.size() == max_listed) break;
    if (value.is_string() && name.size() <= 512)
      texts.emplace_back(std::string_view(name.data(), name.size()), std::string_view(value.get_string()).substr(0, 512));
  }
  return texts;
}

std::vector<std::string> ObjectView::texts(std::string_view key) const {
  std::vector<std::string> texts;
  const boost::json::value* const value = find(key);
  const boost::json::array* const array = value ? value->if_array() : nullptr;
  if (!array) return texts;
  for (const boost::json::value& one : *array) {
    if (texts.size() == max_listed) break;
    if (one.is_string()) texts.emplace_back(std::string_view(one.get_string()).substr(0, 512));
  }
  return texts;
}

}  // namespace rollcall
