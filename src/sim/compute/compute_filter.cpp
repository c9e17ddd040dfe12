#include "sim/compute/compute_filter.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "sim/wire/route.hpp"

namespace rollcall::sim {

class ComputeFilter::Node {
 public:
  enum class Kind { all, any, negation, equals, has, regex };
  Kind kind = Kind::all;
  std::vector<Node> children;
  std::string field;
  std::string value;
  std::optional<SimplePattern> pattern;

  bool matches(const json::value& resource) const;
};

namespace {

// The text of the field `a.b.c`; none if the field is absent.
std::optional<std::string> field_text(const json::value& resource, std::string_view path) {
  const json::value* at = &resource;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const json::object* const object = at->if_object();
    at = object ? object->if_contains(path.substr(0, dot)) : nullptr;
    if (!at) return std::nullopt;
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  if (const json::string* const text = at->if_string()) return std::string(*text);
  return json::serialize(*at);
}

class FilterParser {
 public:
  explicit FilterParser(std::string_view text) : rest_(text) {}

  std::optional<ComputeFilter::Node> run() {
    auto node = alternatives(0);
    skip_blanks();
    if (!node || !rest_.empty() || (has_old_ && has_new_)) return std::nullopt;
    return node;
  }

 private:
  using Node = ComputeFilter::Node;
  static constexpr int max_depth = 16;

  std::optional<Node> alternatives(int depth) { return joined(Node::Kind::any, "OR", depth); }

  // Parses `a OR b`, whose parts are `a AND b`.
  std::optional<Node> joined(Node::Kind kind, std::string_view word, int depth) {
    Node out;
    out.kind = kind;
    for (;;) {
      auto child = kind == Node::Kind::any ? joined(Node::Kind::all, "AND", depth) : factor(depth);
      if (!child) return std::nullopt;
      out.children.push_back(*std::move(child));
      skip_blanks();
      if (take_word(word)) continue;
      const bool is_over = rest_.empty() || rest_.front() == ')' || (kind == Node::Kind::all && next_word() == "OR");
      if (is_over || kind == Node::Kind::any) break;  // adjacent terms mean AND
    }
    return out;
  }

  std::optional<Node> factor(int depth) {
    if (depth > max_depth) return std::nullopt;
    skip_blanks();
    if (take_word("NOT") || take("-")) {
      auto child = factor(depth + 1);
      if (!child) return std::nullopt;
      Node out;
      out.kind = Node::Kind::negation;
      out.children.push_back(*std::move(child));
      return out;
    }
    if (!take("(")) return comparison();
    auto inner = alternatives(depth + 1);
    skip_blanks();
    if (!inner || !take(")")) return std::nullopt;
    return inner;
  }

  std::optional<Node> comparison() {
    Node out;
    out.field = std::string(take_while([](char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; }));
    skip_blanks();
    const bool is_not = take("!=") || take_word("ne");
    const bool was_old = is_not ? last_was_word_ : take_word("eq");
    const bool is_has = !is_not && !was_old && take(":");
    if (out.field.empty() || (!is_not && !was_old && !is_has && !take("="))) return std::nullopt;
    (was_old ? has_old_ : has_new_) = true;
    skip_blanks();
    const auto value = literal();
    if (!value) return std::nullopt;
    out.value = *value;
    out.kind = was_old ? Node::Kind::regex : is_has ? Node::Kind::has : Node::Kind::equals;
    if (was_old) {
      out.pattern = SimplePattern::parse(out.value);
      if (!out.pattern) return std::nullopt;
    }
    if (!is_not) return out;
    Node negated;
    negated.kind = Node::Kind::negation;
    negated.children.push_back(std::move(out));
    return negated;
  }

  std::optional<std::string> literal() {
    if (rest_.starts_with('"') || rest_.starts_with('\'')) {
      const char quote = rest_.front();
      const std::size_t end = rest_.find(quote, 1);
      if (end == std::string_view::npos) return std::nullopt;
      std::string value(rest_.substr(1, end - 1));
      rest_.remove_prefix(end + 1);
      return value;
    }
    std::string value(take_while([](char c) { return c > ' ' && c != '(' && c != ')' && c != '"' && c != '\''; }));
    if (value.empty()) return std::nullopt;
    return value;
  }

  template <class Predicate>
  std::string_view take_while(Predicate belongs) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), belongs);
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  void skip_blanks() {
    take_while([](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
  }
  bool take(std::string_view sign) {
    last_was_word_ = false;
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }
  std::string_view next_word() const {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), [](char c) { return is_alpha(c); });
    return rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  }
  bool take_word(std::string_view word) {
    last_was_word_ = next_word() == word && (rest_.size() == word.size() || rest_[word.size()] == ' ' || rest_[word.size()] == '(');
    if (last_was_word_) rest_.remove_prefix(word.size());
    return last_was_word_;
  }

  std::string_view rest_;
  bool has_old_ = false;
  bool has_new_ = false;
  bool last_was_word_ = false;
};

}  // namespace

bool ComputeFilter::Node::matches(const json::value& resource) const {
  const auto child_matches = [&](const Node& child) { return child.matches(resource); };
  switch (kind) {
    case Kind::all: return std::all_of(children.begin(), children.end(), child_matches);
    case Kind::any: return std::any_of(children.begin(), children.end(), child_matches);
    case Kind::negation: return !children.front().matches(resource);
    case Kind::equals:
    case Kind::has:
    case Kind::regex: break;
  }
  const std::optional<std::string> text = field_text(resource, field);
  if (kind == Kind::has) return text && glob_match(value, *text);
  if (!text || text->size() > 256) return false;
  return kind == Kind::equals ? *text == value : pattern->matches(*text);
}

std::optional<ComputeFilter> ComputeFilter::parse(std::string_view text) {
  ComputeFilter filter;
  if (trim(text).empty()) return filter;
  if (text.size() > 64 * 1024) return std::nullopt;
  auto root = FilterParser(text).run();
  if (!root) return std::nullopt;
  filter.root_ = std::make_shared<const Node>(*std::move(root));
  return filter;
}

bool ComputeFilter::matches(const json::value& resource) const { return !root_ || root_->matches(resource); }

}  // namespace rollcall::sim
