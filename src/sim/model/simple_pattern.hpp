// Regular expressions without groups, matched in time linear in both texts.
#pragma once

#include <bitset>
#include <optional>
#include <string_view>
#include <vector>

namespace rollcall::sim {

/// Literal characters, `.`, `[a-z0-9]`, `[^x]`, `\.`, each with `*`, `+`, `?` or none behind it, and `|` between alternatives.
class SimplePattern {
 public:
  /// None for a text that is none of these: groups, counted repetition, anchors and the like.
  static std::optional<SimplePattern> parse(std::string_view text);
  /// Whether the whole text matches.
  bool matches(std::string_view text) const;

 private:
  struct Item {
    std::bitset<256> bytes;
    bool may_lack = false;
    bool may_repeat = false;
  };
  static std::optional<Item> parse_item(std::string_view& rest);
  std::vector<std::vector<Item>> alternatives_;
};

}  // namespace rollcall::sim
