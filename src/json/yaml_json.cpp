#include "json/yaml.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "json/json_text.hpp"

namespace rollcall {
namespace {

using Members = std::map<std::string_view, const YamlNode*>;

// A node's own members come before those that it merges. The limits of the document bound the depth.
void collect_members(const YamlNode& node, Members& into) {
  for (const auto& [key, value] : node.entries) {
    if (key != "<<") into.try_emplace(key, value.get());
  }
  for (const auto& [key, value] : node.entries) {
    if (key != "<<") continue;
    collect_members(*value, into);
    for (const YamlNode::Pointer& lender : value->items) collect_members(*lender, into);
  }
}

bool is_any_case_of(std::string_view text, std::array<std::string_view, 4> words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) {
    return text == word || text == to_lower(word) ||
           (text.size() == word.size() && text[0] == word[0] && text.substr(1) == to_lower(word.substr(1)));
  });
}

// In JSON's syntax for numbers; no exponent.
bool is_json_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, dot);
  const std::string_view fraction = text.substr(std::min(dot + 1, text.size()));
  const auto are_digits = [](std::string_view part) { return !part.empty() && std::all_of(part.begin(), part.end(), is_digit); };
  return are_digits(whole) && (whole == "0" || whole.front() != '0') && (dot == text.size() || are_digits(fraction));
}

void append(std::string& out, const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null: out += "null"; return;
    case YamlNode::Kind::scalar:
      if (node.is_plain && is_any_case_of(node.text, {"TRUE", "YES", "ON", "Y"})) {
        out += "true";
      } else if (node.is_plain && is_any_case_of(node.text, {"FALSE", "NO", "OFF", "N"})) {
        out += "false";
      } else if (node.is_plain && is_json_number(node.text)) {
        out += node.text;
      } else {
        append_json_string(out, node.text);
      }
      return;
    case YamlNode::Kind::sequence:
      out += '[';
      for (const YamlNode::Pointer& item : node.items) {
        if (!out.ends_with('[')) out += ',';
        append(out, *item);
      }
      out += ']';
      return;
    case YamlNode::Kind::mapping:
      Members members;
      collect_members(node, members);
      out += '{';
      for (const auto& [key, value] : members) {
        if (!out.ends_with('{')) out += ',';
        append_json_string(out, key);
        out += ':';
        append(out, *value);
      }
      out += '}';
      return;
  }
}

}  // namespace

std::string yaml_as_json(const YamlNode& node) {
  std::string out;
  append(out, node);
  return out;
}

}  // namespace rollcall
