// A place in the service's settings: its value, and complaints that name the place. Each fault is noted, and reading continues.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/yaml.hpp"
#include "rollcall/error.hpp"

namespace rollcall::fleet {

/// The path and the line of a value.
class SettingsPlace {
 public:
  SettingsPlace() {}
  SettingsPlace(std::size_t in_line, std::string at_path) : line(in_line), path(std::move(at_path)) {}
  std::size_t line = 1;
  std::string path;  ///< `clients[0].google.audience`; empty: the whole file
};

/// `PATH.KEY`, or `PATH['KEY']` if the key is not a plain word.
std::string setting_below(std::string_view path, std::string_view key);

/// The faults of a file of settings, and the lines of its parts. A bounded number of faults is kept, the rest counted.
class SettingsFaults {
 public:
  SettingsFaults() {}
  void add(const SettingsPlace& place, std::string what);
  /// The same for a path that was noted, or one below it. A fault is left out if its value already has one, or a part of the value has, or
  /// the value is a part of one that has: it follows from that fault.
  void add(const std::string& path, std::string what);
  void note(const SettingsPlace& place) { lines_.try_emplace(place.path, place.line); }
  bool empty() const noexcept { return faults_.empty(); }
  /// A line each, in the order of the file: `FILE:LINE: PATH: WHAT`. Call only if there are faults. Always invalid_argument.
  Failure failure(std::string_view file) const;

 private:
  struct Fault {
    SettingsPlace place;
    std::string what;
  };
  std::vector<Fault> faults_;
  std::map<std::string, std::size_t, std::less<>> lines_;  // by path
  std::size_t more_ = 0;
};

/// A value and its place. Its references must outlive it. If the value is of another kind or out of range, a reading function notes a
/// fault and returns an empty value.
class SettingsNode {
 public:
  SettingsNode(const YamlNode& node, SettingsPlace place, SettingsFaults& faults) : node_(node), place_(std::move(place)), faults_(faults) {
    faults_.note(place_);
  }

  const SettingsPlace& place() const noexcept { return place_; }
  void complain(std::string what) const { faults_.add(place_, std::move(what)); }

  /// False, with a fault, if it is no mapping. Each unknown key is a fault, which names the nearest known key.
  bool has_keys(std::span<const std::string_view> known) const;
  /// The value of a key of a mapping, if it is there.
  std::optional<SettingsNode> child(std::string_view key) const;
  /// All entries of a mapping whose keys the user chooses.
  std::vector<std::pair<std::string, SettingsNode>> entries() const;
  /// The items of a list; `expected` describes the list in words, with an example.
  std::vector<SettingsNode> items(std::string_view expected) const;
  bool is_empty_list() const noexcept { return node_.kind == YamlNode::Kind::sequence && node_.items.empty(); }
  bool is_null() const noexcept { return node_.kind == YamlNode::Kind::null; }
  bool is_mapping() const noexcept { return node_.kind == YamlNode::Kind::mapping; }

  std::string text() const;  ///< not empty, of at most 4,096 bytes, without control characters; else empty
  /// A list of texts; empty if the value is not one.
  std::vector<std::string> texts(std::string_view expected) const;
  std::optional<std::int64_t> whole(std::int64_t low, std::int64_t high) const;
  std::optional<bool> flag() const;

 private:
  SettingsNode below(const YamlNode& node, std::size_t line, std::string path) const;
  std::string found() const;

  const YamlNode& node_;
  SettingsPlace place_;
  SettingsFaults& faults_;
};

}  // namespace rollcall::fleet
