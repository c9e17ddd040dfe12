#include "sim/record/anonymize.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "base/text.hpp"
#include "base/url.hpp"
#include "sim/record/name_words.hpp"
#include "sim/wire/recorded_key.hpp"
#include "sim/wire/route.hpp"

namespace rollcall::sim {
namespace {

namespace json = boost::json;

// `text(value, role)` may change the text; a map of labels is passed as a whole.
template <class Value, class Text, class Map>
void each_text(Value& value, std::string_view member, std::string_view list, Text& text, Map& map) {
  if (value.is_string()) {
    text(value.get_string(), role_of(member, list));
  } else if (value.is_array()) {
    for (auto& one : value.get_array()) each_text(one, one.is_string() ? member : std::string_view(), member, text, map);
  } else if (value.is_object()) {
    for (auto& one : value.get_object()) {
      const std::string_view key(one.key().data(), one.key().size());
      if (is_text_map(key) && one.value().is_object()) {
        map(one.value().get_object(), key);
      } else {
        each_text(one.value(), key, list, text, map);
      }
    }
  }
}

std::string_view view_of(const json::string& text) { return {text.data(), text.size()}; }

// Each part of a path, an image or an address may stand in a message by itself.
void add_path_names(Pseudonyms& names, std::string_view text) {
  for (const std::string_view segment : split(text, '/')) {
    if (is_own_segment(segment)) continue;
    for (const std::string_view before : split(segment, '@')) {
      for (const std::string_view piece : split(before, ':')) names.add_name(piece);
    }
  }
}

// A project's number names it as well as its id does.
std::string without_project_numbers(std::string text) {
  for (const std::string_view before : {"projects/", "PROJECT_NUMBER: '"}) {
    for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
      const std::size_t begin = at + before.size();
      std::size_t end = begin;
      while (end < text.size() && is_digit(text[end])) ++end;
      const bool is_number = end > begin && (end == text.size() || !is_alnum(text[end]));
      if (is_number) text.replace(begin, end - begin, "1");
    }
  }
  return text;
}

std::string path_replaced(const Pseudonyms& names, std::string_view text) {
  std::string out;
  for (const std::string_view segment : split(text, '/')) {
    if (!out.empty() || segment.data() != text.data()) out += '/';
    out += is_own_segment(segment) ? std::string(segment) : names.of_name(names.of_addresses(segment));
  }
  return out;
}

// The words of a selector, `app=x,tier in (a,b),!old`, and what stands between them.
template <class Token>
void each_selector_token(std::string_view selector, Token token) {
  bool is_behind_equals = false;
  bool is_in_list = false;
  for (std::size_t at = 0; at < selector.size();) {
    std::size_t end = at;
    while (end < selector.size() && (is_alnum(selector[end]) || std::string_view("-._/").find(selector[end]) != std::string_view::npos))
      ++end;
    const bool is_word = end > at;
    if (!is_word) {
      const char c = selector[at];
      is_in_list = c == '(' || (is_in_list && c != ')');
      is_behind_equals = c == '=' || (is_behind_equals && c != ',');
      ++end;
    }
    token(selector.substr(at, end - at), is_word && (is_in_list || is_behind_equals));
    at = end;
  }
}

// The numbers of the segments of a Kubernetes path that are names: the namespace's and the object's.
std::vector<std::size_t> name_places(const std::vector<std::string>& segments) {
  const std::size_t at = segments.front() == "api" ? 2 : 3;  // behind the version
  if (segments.size() > at && segments[at] == "namespaces") return {at + 1, at + 3};
  return {at + 1};
}

bool is_name_place(const ParsedTarget& target, std::size_t number) {
  if (target.path.starts_with("/computeMetadata")) return false;
  if (!is_kube_path(target.path)) return !is_own_segment(target.segments[number]);
  const std::vector<std::size_t> places = name_places(target.segments);
  return std::find(places.begin(), places.end(), number) != places.end();
}

}  // namespace

void find_names(Pseudonyms& names, const json::value& answer) {
  auto text = [&names](const json::string& value, TextRole role) {
    names.add_addresses(view_of(value));
    if (role == TextRole::name) add_path_names(names, view_of(value));
  };
  auto map = [&names](const json::object& texts, std::string_view what) {
    for (const auto& [key, value] : texts) {
      if (has_own_domain(key)) names.add_name(domain_of(key));
      if (!value.is_string()) continue;
      names.add_addresses(view_of(value.get_string()));
      if (what != "annotations" && !has_own_value(key)) names.add_name(view_of(value.get_string()));
    }
  };
  each_text(answer, "", "", text, map);
}

void find_names_in_metadata(Pseudonyms& names, std::string_view path, std::string_view value) {
  if (!path.starts_with("/computeMetadata/")) return;
  const auto ends_with_one = [](std::string_view text, std::initializer_list<std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(), [text](std::string_view end) { return text.ends_with(end); });
  };
  const bool is_name = ends_with_one(path, {"/project-id", "/instance/name", "/hostname", "/worker-network-endpoints"});
  for (const std::string_view line : split(value, '\n')) {
    const std::size_t colon = line.find(": ");  // of tpu-env
    const bool is_named = colon != std::string_view::npos &&
                          ends_with_one(line.substr(0, colon), {"PROJECT_ID", "NODE_ID", "_NAME", "HOSTNAMES", "COORDINATOR_ADDRESS"});
    if (!is_name && !is_named) continue;
    std::string words(is_named ? line.substr(colon + 2) : line);
    std::replace_if(words.begin(), words.end(), [](char c) { return c == ',' || c == ':' || c == '\'' || c == '"'; }, ' ');
    for (const std::string_view word : split(words, ' ')) names.add_name(word);
  }
}

void replace_names(const Pseudonyms& names, json::value& answer) {
  auto text = [&names](json::string& value, TextRole role) {
    if (role == TextRole::own_word) return;
    value = without_project_numbers(role == TextRole::name ? path_replaced(names, view_of(value)) : names.of_text(view_of(value)));
  };
  auto map = [&names](json::object& texts, std::string_view what) {
    json::object out;
    for (auto& [key, value] : texts) {
      const std::string_view name(key.data(), key.size());
      std::string shown(name);
      if (has_own_domain(name)) shown.replace(0, domain_of(name).size(), names.of_name(domain_of(name)));
      if (const json::string* const given = value.if_string(); given && !has_own_value(name))
        value = what == "annotations" ? names.of_text(view_of(*given)) : names.of_name(names.of_addresses(view_of(*given)));
      out[shown] = std::move(value);
    }
    texts = std::move(out);
  };
  each_text(answer, "", "", text, map);
}

void find_names_in_path(Pseudonyms& names, std::string_view path) {
  const ParsedTarget target = parse_target(path);
  for (std::size_t i = 0; i < target.segments.size(); ++i) {
    names.add_addresses(target.segments[i]);
    if (is_name_place(target, i)) names.add_name(target.segments[i]);
  }
  for (const auto& [key, value] : target.query) {
    names.add_addresses(value);
    if (key != "labelSelector" && key != "fieldSelector") continue;
    each_selector_token(value, [&](std::string_view token, bool is_value) {
      if (is_value) names.add_name(token);
      if (!is_value && has_own_domain(token)) names.add_name(domain_of(token));
    });
  }
}

std::string with_names_replaced(const Pseudonyms& names, std::string_view path) {
  const ParsedTarget target = parse_target(path);
  std::string out;  // without a project's number, as the answers
  for (std::size_t i = 0; i < target.segments.size(); ++i) {
    const std::string segment = names.of_addresses(target.segments[i]);
    out += "/" + percent_encode_path_segment(is_name_place(target, i) ? names.of_name(segment) : segment);
  }
  out = without_project_numbers(std::move(out));
  char mark = '?';
  for (const auto& [key, value] : target.query) {
    std::string shown;
    if (key == "labelSelector" || key == "fieldSelector") {
      each_selector_token(value, [&](std::string_view token, bool is_value) {
        if (is_value) {
          shown += names.of_name(token);
        } else if (has_own_domain(token)) {
          shown += names.of_name(domain_of(token)) + std::string(token.substr(domain_of(token).size()));
        } else {
          shown += token;
        }
      });
    } else {
      shown = names.of_text(value);
    }
    out += mark + percent_encode_path_segment(key) + "=" + percent_encode_path_segment(shown);
    mark = '&';
  }
  return out;
}

}  // namespace rollcall::sim
