#include "fleet/settings/wire/settings_node.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/order.hpp"
#include "base/path_text.hpp"
#include "base/secret_words.hpp"
#include "base/value_readers.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_faults = 100;
constexpr std::size_t max_text_bytes = 4096;

bool is_word(std::string_view key) {
  return !key.empty() && key.size() <= 64 &&
         std::all_of(key.begin(), key.end(), [](char c) { return is_alnum(c) || c == '_' || c == '-'; });
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// True if `inner` is `outer`, or a part of it.
bool is_within(std::string_view inner, std::string_view outer) {
  if (!inner.starts_with(outer)) return false;
  return outer.empty() || inner.size() == outer.size() || inner[outer.size()] == '.' || inner[outer.size()] == '[';
}

}  // namespace

std::string setting_below(std::string_view path, std::string_view key) {
  if (!is_word(key)) return fmt::format("{}[{}]", path, quoted(key, 80));
  return fmt::format("{}{}{}", path, path.empty() ? "" : ".", key);
}

void SettingsFaults::add(const SettingsPlace& place, std::string what) {
  if (faults_.size() >= max_faults) {
    ++more_;
    return;
  }
  faults_.push_back({place, std::move(what)});
}

void SettingsFaults::add(const std::string& path, std::string what) {
  const auto explains = [&path](const Fault& fault) { return is_within(path, fault.place.path) || is_within(fault.place.path, path); };
  if (std::any_of(faults_.begin(), faults_.end(), explains)) return;
  std::string_view known = path;
  auto line = lines_.find(known);
  while (line == lines_.end() && !known.empty()) {
    const std::size_t step = known.find_last_of(".[");
    known = known.substr(0, step == std::string_view::npos ? 0 : step);
    line = lines_.find(known);
  }
  add(SettingsPlace(line == lines_.end() ? 1 : line->second, path), std::move(what));
}

Failure SettingsFaults::failure(std::string_view file) const {
  std::vector<Fault> sorted = faults_;
  sort_stably(sorted, [](const Fault& a, const Fault& b) { return a.place.line < b.place.line; });
  std::vector<std::string> lines;
  for (const auto& [place, what] : sorted)
    lines.push_back(fmt::format("{}:{}: {}{}{}", path_text(file), place.line, place.path, place.path.empty() ? "" : ": ", what));
  if (more_ > 0) lines.push_back(fmt::format("{}: {} more faults", path_text(file), more_));
  return Failure(Errc::invalid_argument, fmt::format("{}", fmt::join(lines, "\n")));
}

SettingsNode SettingsNode::below(const YamlNode& node, std::size_t line, std::string path) const {
  return SettingsNode(node, SettingsPlace(line, std::move(path)), faults_);
}

std::string SettingsNode::found() const {
  switch (node_.kind) {
    case YamlNode::Kind::null: return "nothing";
    case YamlNode::Kind::scalar: return quoted_words(node_.text, 80);
    case YamlNode::Kind::sequence: return "a list";
    case YamlNode::Kind::mapping: return "a mapping";
  }
  return {};
}

bool SettingsNode::has_keys(std::span<const std::string_view> known) const {
  if (node_.kind != YamlNode::Kind::mapping) {
    complain(fmt::format("expected a mapping with the keys {}, found {}", fmt::join(known, ", "), found()));
    return false;
  }
  for (std::size_t i = 0; i < node_.entries.size(); ++i) {
    const std::string& key = node_.entries[i].first;
    if (index_among(key, known)) continue;
    const SettingsPlace place(node_.key_lines[i], setting_below(place_.path, key));
    faults_.add(place, fmt::format("unknown key{}", nearest_or_known(key, known)));
  }
  return true;
}

std::optional<SettingsNode> SettingsNode::child(std::string_view key) const {
  for (std::size_t i = 0; i < node_.entries.size(); ++i) {
    const auto& [name, value] = node_.entries[i];
    if (name == key) return below(*value, node_.key_lines[i], setting_below(place_.path, key));
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, SettingsNode>> SettingsNode::entries() const {
  std::vector<std::pair<std::string, SettingsNode>> out;
  for (std::size_t i = 0; i < node_.entries.size(); ++i) {
    const auto& [name, value] = node_.entries[i];
    out.emplace_back(name, below(*value, node_.key_lines[i], setting_below(place_.path, name)));
  }
  return out;
}

std::vector<SettingsNode> SettingsNode::items(std::string_view expected) const {
  std::vector<SettingsNode> out;
  if (node_.kind != YamlNode::Kind::sequence) {
    complain(fmt::format("expected {}, found {}", expected, found()));
    return out;
  }
  for (std::size_t i = 0; i < node_.items.size(); ++i)
    out.push_back(below(*node_.items[i], node_.items[i]->line, fmt::format("{}[{}]", place_.path, i)));
  return out;
}

std::string SettingsNode::text() const {
  if (node_.kind != YamlNode::Kind::scalar) {
    complain(fmt::format("expected a text, found {}", found()));
  } else if (node_.text.empty()) {
    complain("the text is empty");
  } else if (node_.text.size() > max_text_bytes) {
    complain(fmt::format("a text of {} bytes; at most {} are taken", node_.text.size(), max_text_bytes));
  } else if (std::any_of(node_.text.begin(), node_.text.end(), is_control)) {
    complain("the text has control characters");
  } else {
    return node_.text;
  }
  return {};
}

std::vector<std::string> SettingsNode::texts(std::string_view expected) const {
  std::vector<std::string> out;
  for (const SettingsNode& item : items(expected)) out.push_back(item.text());
  return out;
}

std::optional<std::int64_t> SettingsNode::whole(std::int64_t low, std::int64_t high) const {
  std::optional<std::int64_t> number;
  if (node_.kind == YamlNode::Kind::scalar && node_.is_plain) number = parse_decimal<std::int64_t>(node_.text, low, high);
  if (!number) complain(fmt::format("expected a whole number from {} to {}, found {}", low, high, found()));
  return number;
}

std::optional<bool> SettingsNode::flag() const {
  std::optional<bool> flag;
  if (node_.kind == YamlNode::Kind::scalar && node_.is_plain) flag = parse_flag(node_.text);
  if (!flag) complain(fmt::format("expected true or false, found {}", found()));
  return flag;
}

}  // namespace rollcall::fleet
