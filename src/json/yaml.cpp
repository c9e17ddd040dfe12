// Builds a tree from libyaml's events. Exponentially nested aliases cost nothing here, since nothing is copied, but a walk of the tree
// would expand them: hence each node stores the number of nodes below it, aliases included, and that number is limited.
#include "json/yaml.hpp"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "rollcall/secret.hpp"

namespace rollcall {
namespace {

struct YamlFrame {
  std::shared_ptr<YamlNode> node;
  std::string anchor;
  std::size_t weight = 1;
  std::optional<std::string> key;  // of a mapping: the key of the next value
};

struct YamlAnchor {
  YamlNode::Pointer node;
  std::size_t weight = 1;
};

std::string_view text_of(const yaml_char_t* text) { return text ? reinterpret_cast<const char*>(text) : ""; }

constexpr std::string_view merge_key = "<<";

bool is_mapping(const YamlNode::Pointer& node) { return node->kind == YamlNode::Kind::mapping; }

bool can_merge(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::sequence) return std::all_of(node.items.begin(), node.items.end(), is_mapping);
  return node.kind == YamlNode::Kind::mapping;
}

// The value, null or not, of the node's own key or else of the first merged mapping that has it. The limit of nodes bounds the depth.
const YamlNode* entry(const YamlNode& node, std::string_view key) {
  const YamlNode* merged = nullptr;
  for (const auto& [name, value] : node.entries) {
    if (name == key) return value.get();
    if (name == merge_key) merged = value.get();
  }
  if (!merged) return nullptr;
  if (merged->kind == YamlNode::Kind::mapping) return entry(*merged, key);
  for (const YamlNode::Pointer& lender : merged->items) {
    if (const YamlNode* const lent = entry(*lender, key)) return lent;
  }
  return nullptr;
}

// By the byte-order mark, which is removed: PowerShell writes UTF-16 with one. Without a mark it is UTF-8.
yaml_encoding_t take_encoding(std::string_view& text) {
  const bool is_little_endian = text.starts_with("\xFF\xFE");
  if (!is_little_endian && !text.starts_with("\xFE\xFF")) {
    text = without_byte_order_mark(text);
    return YAML_UTF8_ENCODING;
  }
  text.remove_prefix(2);
  return is_little_endian ? YAML_UTF16LE_ENCODING : YAML_UTF16BE_ENCODING;
}

// Of a text that YAML does not allow: every other of its first bytes is zero. Null: it is something else.
const char* utf16_without_mark(std::string_view text) {
  constexpr std::size_t looked_at = 4;
  if (text.size() < looked_at) return nullptr;
  const auto is_zero = [text](std::size_t at) { return text[at] == '\0'; };
  if (!is_zero(0) && is_zero(1) && !is_zero(2) && is_zero(3)) return "UTF-16LE";
  return is_zero(0) && !is_zero(1) && is_zero(2) && !is_zero(3) ? "UTF-16BE" : nullptr;
}

class YamlReader {
 public:
  YamlReader(std::string_view origin, std::string_view text, const YamlLimits& limits) : origin_(origin), limits_(limits) {
    yaml_parser_initialize(&parser_);
    const yaml_encoding_t encoding = take_encoding(text);  // libyaml skips the byte-order mark only if it guesses the encoding
    const char* const start = text.empty() ? "" : text.data();  // libyaml asserts that it is not null
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(start), text.size());
    yaml_parser_set_encoding(&parser_, encoding);
  }
  ~YamlReader() {
    // libyaml's read-ahead buffer; it may contain a secret.
    wipe(parser_.raw_buffer.start, static_cast<std::size_t>(parser_.raw_buffer.end - parser_.raw_buffer.start));
    wipe(parser_.buffer.start, static_cast<std::size_t>(parser_.buffer.end - parser_.buffer.start));
    yaml_parser_delete(&parser_);
  }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  Result<YamlNode::Pointer> read() {
    for (bool is_over = false; !is_over && !failure_;) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser_, &event) == 0) return broken();
      is_over = event.type == YAML_STREAM_END_EVENT;
      take(event);
      if (event.type == YAML_SCALAR_EVENT) wipe(event.data.scalar.value, event.data.scalar.length);
      yaml_event_delete(&event);
    }
    if (failure_) return *failure_;
    if (!root_) root_ = std::make_shared<YamlNode>(YamlNode::Kind::null, 1);
    return root_;
  }

 private:
  void take(const yaml_event_t& event) {
    const std::size_t line = event.start_mark.line + 1;
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        if (documents_++ > 0) refuse(Errc::invalid_argument, line, "begins a second document");
        break;
      case YAML_ALIAS_EVENT: alias(std::string(text_of(event.data.alias.anchor)), line); break;
      case YAML_SCALAR_EVENT: scalar(event, line); break;
      case YAML_SEQUENCE_START_EVENT: begin(YamlNode::Kind::sequence, text_of(event.data.sequence_start.anchor), line); break;
      case YAML_MAPPING_START_EVENT: begin(YamlNode::Kind::mapping, text_of(event.data.mapping_start.anchor), line); break;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: end(); break;
      default: break;
    }
  }

  void begin(YamlNode::Kind kind, std::string_view anchor, std::size_t line) {
    if (expects_key()) return refuse(Errc::invalid_argument, line, "has a key that is not a text");
    if (frames_.size() >= limits_.max_depth) return refuse(Errc::limit_exceeded, line, "nests too deeply");
    anchors_.erase(std::string(anchor));  // until it is complete, no alias may refer to it
    frames_.push_back({std::make_shared<YamlNode>(kind, line), std::string(anchor), 1, std::nullopt});
  }

  void end() {
    YamlFrame frame = std::move(frames_.back());
    frames_.pop_back();
    add(std::move(frame.node), frame.anchor, frame.weight);
  }

  void scalar(const yaml_event_t& event, std::size_t line) {
    const auto& data = event.data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(data.value), data.length);
    if (expects_key()) return take_key(text, line);
    const bool is_plain = data.style == YAML_PLAIN_SCALAR_STYLE;
    const bool is_null = is_plain && (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL");
    auto node = std::make_shared<YamlNode>(is_null ? YamlNode::Kind::null : YamlNode::Kind::scalar, line);
    if (!is_null) node->text.assign(text);
    node->is_plain = is_plain;
    add(std::move(node), text_of(data.anchor), 1);
  }

  void alias(const std::string& name, std::size_t line) {
    if (expects_key()) return refuse(Errc::invalid_argument, line, "has a key that is not a text");
    const auto found = anchors_.find(name);
    if (found == anchors_.end())
      return refuse(Errc::invalid_argument, line, "refers to something that is not defined before it");  // a password may begin with *
    add(found->second.node, {}, found->second.weight);
  }

  bool expects_key() const { return !frames_.empty() && frames_.back().node->kind == YamlNode::Kind::mapping && !frames_.back().key; }

  void take_key(std::string_view text, std::size_t line) {
    YamlFrame& frame = frames_.back();
    for (const auto& [key, value] : frame.node->entries) {
      if (key == text) return refuse(Errc::invalid_argument, line, fmt::format("has {} a second time", quoted_words(text, 64)));
    }
    constexpr std::size_t max_keys = 256;  // of one mapping: each key is compared with all others
    if (frame.node->entries.size() >= max_keys) return refuse(Errc::limit_exceeded, line, "has a mapping of too many keys");
    frame.key.emplace(text);
    frame.node->key_lines.push_back(line);
  }

  void add(YamlNode::Pointer node, std::string_view anchor, std::size_t weight) {
    if (!anchor.empty()) anchors_[std::string(anchor)] = YamlAnchor{node, weight};
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    YamlFrame& frame = frames_.back();
    frame.weight += weight;
    if (frame.weight > limits_.max_nodes) return refuse(Errc::limit_exceeded, node->line, "has too many nodes, aliases counted");
    if (frame.key) {
      if (*frame.key == merge_key && !can_merge(*node)) return refuse(Errc::invalid_argument, node->line, "merges (<<) what is no mapping");
      frame.node->entries.emplace_back(std::move(*frame.key), std::move(node));
      frame.key.reset();
    } else {
      frame.node->items.push_back(std::move(node));
    }
  }

  Failure broken() const {
    const std::size_t line = parser_.problem_mark.line + 1;
    const std::string_view why = parser_.problem ? parser_.problem : "it cannot be read";
    return Failure(Errc::invalid_argument, fmt::format("{} is not YAML: {} (line {})", origin_, printable(why), line));
  }

  void refuse(Errc code, std::size_t line, std::string_view what) {
    if (!failure_) failure_.emplace(code, fmt::format("{} {} (line {})", origin_, what, line));
  }

  std::string_view origin_;
  YamlLimits limits_;
  yaml_parser_t parser_;
  std::vector<YamlFrame> frames_;
  std::map<std::string, YamlAnchor, std::less<>> anchors_;
  std::shared_ptr<const YamlNode> root_;
  std::size_t documents_ = 0;
  std::optional<Failure> failure_;
};

}  // namespace

YamlNode::~YamlNode() { wipe(text.data(), text.size()); }

const YamlNode* YamlNode::find(std::string_view key) const {
  const YamlNode* const value = entry(*this, key);
  return value && value->kind != Kind::null ? value : nullptr;
}

Result<YamlNode::Pointer> parse_yaml(std::string_view origin, std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return Failure(Errc::limit_exceeded, fmt::format("{} has {} bytes, more than {}", origin, text.size(), limits.max_bytes));
  }
  if (const char* const encoding = utf16_without_mark(text)) {
    return Failure(Errc::invalid_argument, fmt::format("{} is {} without a byte-order mark (line 1)", origin, encoding))
        .with_hint(fmt::format("convert it: iconv -f {} -t UTF-8", encoding));
  }
  return YamlReader(origin, text, limits).read();
}

}  // namespace rollcall
