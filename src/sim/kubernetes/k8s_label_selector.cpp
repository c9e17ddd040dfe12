// Label selectors in the API server's grammar, with its error texts.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "sim/kubernetes/k8s_options.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace {

enum class LabelToken { error, end, closed, comma, absent, double_equals, equals, greater, identifier, in, less, not_equals, not_in, open };

struct LabelWord {
  LabelToken token = LabelToken::end;
  std::string text;
};

LabelToken label_token_of(std::string_view text) {
  static constexpr std::pair<std::string_view, LabelToken> known[] = {
      {")", LabelToken::closed},      {",", LabelToken::comma},      {"!", LabelToken::absent}, {"==", LabelToken::double_equals},
      {"=", LabelToken::equals},      {">", LabelToken::greater},    {"in", LabelToken::in},    {"<", LabelToken::less},
      {"!=", LabelToken::not_equals}, {"notin", LabelToken::not_in}, {"(", LabelToken::open}};
  for (const auto& [name, token] : known) {
    if (name == text) return token;
  }
  return LabelToken::error;
}

bool is_label_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_label_symbol(char c) { return std::string_view("=!(),><").find(c) != std::string_view::npos; }

// The longest operator at `at`. A text that begins with no operator ends with the last symbol.
LabelWord read_label_symbols(std::string_view text, std::size_t& at) {
  LabelWord found{LabelToken::error, {}};
  std::string run;
  for (; at < text.size() && is_label_symbol(text[at]); ++at) {
    run += text[at];
    const LabelToken token = label_token_of(run);
    if (token != LabelToken::error) {
      found = LabelWord{token, run};
    } else if (found.token != LabelToken::error) {
      break;
    }
  }
  return found;
}

std::vector<LabelWord> split_label_selector(std::string_view text) {
  std::vector<LabelWord> words;
  text = text.substr(0, text.find('\0'));
  for (std::size_t at = 0; at < text.size();) {
    if (is_label_blank(text[at])) {
      ++at;
    } else if (is_label_symbol(text[at])) {
      words.push_back(read_label_symbols(text, at));
    } else {
      const std::size_t begin = at;
      while (at < text.size() && !is_label_symbol(text[at]) && !is_label_blank(text[at])) ++at;
      std::string word(text.substr(begin, at - begin));
      const LabelToken keyword = label_token_of(word);
      words.push_back({keyword == LabelToken::error ? LabelToken::identifier : keyword, std::move(word)});
    }
  }
  words.emplace_back();
  return words;
}

class LabelReader {
 public:
  explicit LabelReader(std::string_view text) : words_(split_label_selector(text)) {}

  Result<LabelSelector> read() {
    LabelSelector out;
    while (poll() == LabelToken::identifier || poll() == LabelToken::absent) {
      auto requirement = read_requirement();
      if (!requirement) return wrong(fmt::format("unable to parse requirement: {}", requirement.error().what()));
      out.push_back(*std::move(requirement));
      const LabelWord word = take();
      if (word.token == LabelToken::end) return sorted(std::move(out));
      if (word.token != LabelToken::comma) return wrong(fmt::format("found '{}', expected: ',' or 'end of string'", word.text));
      if (poll() != LabelToken::identifier && poll() != LabelToken::absent) {
        return wrong(fmt::format("found '{}', expected: identifier after ','", words_[at_].text));
      }
    }
    if (poll() == LabelToken::end) return sorted(std::move(out));
    return wrong(fmt::format("found '{}', expected: !, identifier, or 'end of string'", words_[at_].text));
  }

 private:
  using Values = Result<std::vector<std::string>>;

  static Failure wrong(std::string text) { return Failure(Errc::invalid_argument, std::move(text)); }
  static LabelSelector sorted(LabelSelector selector) {
    std::sort(selector.begin(), selector.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    return selector;
  }

  // `in` and `notin` are names too, except in the place of an operator.
  LabelToken poll() const {
    const LabelToken token = words_[at_].token;
    return token == LabelToken::in || token == LabelToken::not_in ? LabelToken::identifier : token;
  }
  LabelWord take(bool wants_operator = false) {
    LabelWord word = words_[at_];
    if (!wants_operator) word.token = poll();
    if (at_ + 1 < words_.size()) ++at_;
    return word;
  }

  Result<LabelRequirement> read_requirement() {
    LabelRequirement out;
    LabelWord word = take();
    const bool is_absent = word.token == LabelToken::absent;
    if (is_absent) word = take();
    if (word.token != LabelToken::identifier) return wrong(fmt::format("found '{}', expected: identifier", word.text));
    if (const auto bad = bad_label_key(word.text)) return wrong(fmt::format("<nil>: Invalid value: {}: {}", go_quoted(word.text), *bad));
    out.key = word.text;
    if (is_absent) {
      out.op = LabelOperator::absent;
      return out;
    }
    if (poll() == LabelToken::end || poll() == LabelToken::comma) return out;
    const LabelWord op = take(true);
    static constexpr std::pair<LabelToken, LabelOperator> operators[] = {{LabelToken::in, LabelOperator::in},
                                                                         {LabelToken::equals, LabelOperator::in},
                                                                         {LabelToken::double_equals, LabelOperator::in},
                                                                         {LabelToken::not_in, LabelOperator::not_in},
                                                                         {LabelToken::not_equals, LabelOperator::not_in},
                                                                         {LabelToken::greater, LabelOperator::greater},
                                                                         {LabelToken::less, LabelOperator::less}};
    const auto known = std::find_if(std::begin(operators), std::end(operators), [&](const auto& one) { return one.first == op.token; });
    if (known == std::end(operators)) return wrong(fmt::format("found '{}', expected: in, notin, =, ==, !=, gt, lt", op.text));
    out.op = known->second;
    Values values = op.token == LabelToken::in || op.token == LabelToken::not_in ? read_set() : read_one();
    if (!values) return values.error();
    out.values = *std::move(values);
    if (auto bad = bad_values(out)) return wrong(*std::move(bad));
    return out;
  }

  static std::optional<std::string> bad_values(const LabelRequirement& requirement) {
    std::vector<std::string> all;
    const bool is_number = requirement.op == LabelOperator::greater || requirement.op == LabelOperator::less;
    for (std::size_t i = 0; is_number && i < requirement.values.size(); ++i) {
      if (!go_parse_int(requirement.values[i]))
        all.push_back(fmt::format("values[{}]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer", i,
                                  go_quoted(requirement.values[i])));
    }
    for (std::size_t i = 0; i < requirement.values.size(); ++i) {
      if (const auto bad = bad_label_value(requirement.values[i]))
        all.push_back(fmt::format("values[{}][{}]: Invalid value: {}: {}", i, requirement.key, go_quoted(requirement.values[i]), *bad));
    }
    if (all.empty()) return std::nullopt;
    return all.size() == 1 ? all.front() : fmt::format("[{}]", fmt::join(all, ", "));
  }

  Values read_set() {
    const LabelWord open = take();
    if (open.token != LabelToken::open) return wrong(fmt::format("found '{}' expected: '('", open.text));
    std::set<std::string> values;
    if (poll() == LabelToken::closed) {
      take();
      return std::vector<std::string>{""};
    }
    if (poll() != LabelToken::identifier && poll() != LabelToken::comma)
      return wrong(fmt::format("found '{}', expected: ',', ')' or identifier", words_[at_].text));
    while (true) {
      const LabelWord word = take();
      if (word.token == LabelToken::identifier) {
        values.insert(word.text);
        if (poll() == LabelToken::closed) break;
        if (poll() != LabelToken::comma) return wrong(fmt::format("found '{}', expected: ',' or ')'", words_[at_].text));
      } else if (word.token == LabelToken::comma) {
        if (values.empty()) values.insert("");
        if (poll() == LabelToken::closed) {
          values.insert("");
          break;
        }
        if (poll() == LabelToken::comma) {
          take();
          values.insert("");
        }
      } else {
        return wrong(fmt::format("found '{}', expected: ',', or identifier", word.text));
      }
    }
    take();
    return std::vector<std::string>(values.begin(), values.end());
  }

  Values read_one() {
    if (poll() == LabelToken::end || poll() == LabelToken::comma) return std::vector<std::string>{""};
    const LabelWord word = take();
    if (word.token != LabelToken::identifier) return wrong(fmt::format("found '{}', expected: identifier", word.text));
    return std::vector<std::string>{word.text};
  }

  std::vector<LabelWord> words_;
  std::size_t at_ = 0;
};

bool matches_one(const LabelRequirement& requirement, const KubeTexts& labels) {
  const auto found = labels.find(requirement.key);
  const bool has = found != labels.end();
  const auto is_listed = [&] { return std::binary_search(requirement.values.begin(), requirement.values.end(), found->second); };
  switch (requirement.op) {
    case LabelOperator::exists: return has;
    case LabelOperator::absent: return !has;
    case LabelOperator::in: return has && is_listed();
    case LabelOperator::not_in: return !has || !is_listed();
    case LabelOperator::greater:
    case LabelOperator::less: break;
  }
  const auto value = has ? go_parse_int(found->second) : std::nullopt;
  const auto limit = go_parse_int(requirement.values.front());
  if (!value || !limit) return false;
  return requirement.op == LabelOperator::greater ? *value > *limit : *value < *limit;
}

}  // namespace

Result<LabelSelector> parse_label_selector(std::string_view text) { return LabelReader(text).read(); }

bool matches(const LabelSelector& selector, const KubeTexts& labels) {
  return std::all_of(selector.begin(), selector.end(), [&](const LabelRequirement& one) { return matches_one(one, labels); });
}

}  // namespace rollcall::sim
