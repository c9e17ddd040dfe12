// A small YAML document as a tree: nodes with their lines. Aliases share their target, so nothing is copied.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

class YamlNode {
 public:
  enum class Kind { null, scalar, sequence, mapping };
  using Pointer = std::shared_ptr<const YamlNode>;

  YamlNode(Kind node_kind, std::size_t node_line) : kind(node_kind), line(node_line) {}
  ~YamlNode();  // wipes `text`: it may be a secret
  YamlNode(const YamlNode&) = delete;
  YamlNode& operator=(const YamlNode&) = delete;

  Kind kind;
  std::size_t line;               ///< from 1
  std::string text;               ///< of a scalar
  bool is_plain = false;          ///< a scalar without quotes: it may mean a number or a word such as true
  std::vector<Pointer> items;     ///< of a sequence
  std::vector<std::pair<std::string, Pointer>> entries;  ///< of a mapping; keys are unique
  std::vector<std::size_t> key_lines;                    ///< the line of each of these keys

  /// The value of `key`, of this mapping or one that it merges (`<<`); null when there is none, or its value is null, or this is no
  /// mapping.
  const YamlNode* find(std::string_view key) const;
};

class YamlLimits {
 public:
  YamlLimits() {}
  std::size_t max_bytes = 1 << 20;
  std::size_t max_depth = 32;
  std::size_t max_nodes = 65'536;   ///< number of nodes with every alias expanded
};

/// The one document of `text`, which is UTF-8, or UTF-16 if it begins with the byte-order mark of that. `origin` names it in messages:
/// "the kubeconfig ~/.kube/config"; they end with the line. Errors: invalid_argument (not YAML, several documents, a duplicate key, an
/// alias inside its own target, a `<<` of something other than a mapping), limit_exceeded.
Result<YamlNode::Pointer> parse_yaml(std::string_view origin, std::string_view text, const YamlLimits& limits = {});

/// A part of a document as JSON.
/// Keys in order of their bytes, including merged ones (`<<`). Plain scalars become null, true and false (also `yes`, `on`, `y` and their
/// opposites, as in YAML 1.1), and decimal numbers without an exponent; all other YAML numbers stay texts.
std::string yaml_as_json(const YamlNode& node);

}  // namespace rollcall
