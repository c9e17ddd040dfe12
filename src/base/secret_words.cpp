#include "base/secret_words.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view hidden_mark = "***";

constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }
constexpr bool is_edge(char c) noexcept { return is_blank(c) || std::string_view("\"'`,;()[]{}<>&?|").find(c) != std::string_view::npos; }

bool names_secret(std::string_view word) {
  constexpr std::array names = {std::string_view("token"),         std::string_view("secret"),     std::string_view("password"),
                                std::string_view("passwd"),        std::string_view("passphrase"), std::string_view("bearer"),
                                std::string_view("authorization"), std::string_view("key"),        std::string_view("credential"),
                                std::string_view("assertion")};
  const std::string lower = to_lower(word);
  return std::any_of(names.begin(), names.end(), [&lower](std::string_view name) { return lower.ends_with(name); });
}

bool is_scheme(std::string_view word) { return equals_ignoring_case(word, "bearer") || equals_ignoring_case(word, "basic"); }

// A word of a language, a number, or a path: such text after "key" is not a key.
bool is_plain(std::string_view word) {
  if (word.find_first_of("/~-.") == 0 || word.ends_with('.')) word = word.substr(0, word.find_last_not_of('.') + 1);
  if (word.find_first_of("/~-.") == 0) return true;
  const bool is_number = word.size() < 6 && std::all_of(word.begin(), word.end(), is_digit);
  const std::string_view rest = word.substr(std::min<std::size_t>(word.size(), 1));
  const bool is_capital_word = std::all_of(word.begin(), word.end(), is_upper) && word.size() < 8;
  return is_number || is_capital_word || (!word.empty() && is_alpha(word.front()) && std::all_of(rest.begin(), rest.end(), is_lower));
}

// Counts the changes between capitals, small letters and digits: they are frequent in base64, and rare in names.
class Mixture {
 public:
  explicit Mixture(std::string_view run = {}) {
    int before = -1;
    for (const char c : run) {
      const int kind = is_digit(c) ? 0 : is_upper(c) ? 1 : 2;
      seen_[static_cast<std::size_t>(kind)] = true;
      if (before >= 0 && kind != before) ++changes_;
      before = kind;
    }
    letters_ = run.size();
  }
  void add(const Mixture& other) {
    letters_ += other.letters_;
    changes_ += other.changes_;
    for (std::size_t i = 0; i < seen_.size(); ++i) seen_[i] = seen_[i] || other.seen_[i];
  }
  bool is_word() const noexcept { return changes_ < 2; }
  bool has_at_least(std::size_t letters, std::size_t letters_a_change) const noexcept {
    return letters_ >= letters && seen_[0] && seen_[1] && seen_[2] && letters_a_change * changes_ >= letters_;
  }

 private:
  std::size_t letters_ = 0;
  std::size_t changes_ = 0;
  std::array<bool, 3> seen_{};
};

// True for one run of letters and digits that is longer than a word, a part of a name or the suffix of a temporary file. True also for
// several runs with slashes between them, as in a base64 key.
bool is_random(std::string_view word) noexcept {
  constexpr std::size_t min_run = 16;
  Mixture all;
  for (std::size_t at = 0; at < word.size();) {
    std::size_t end = at;
    bool has_digit = false;
    bool has_letter = false;
    for (; end < word.size() && is_alnum(word[end]); ++end) (is_digit(word[end]) ? has_digit : has_letter) = true;
    const Mixture run(word.substr(at, end - at));
    if ((end - at >= min_run && has_digit && has_letter) || run.has_at_least(12, 3)) return true;
    if (!run.is_word()) all.add(run);
    at = end + 1;
  }
  return all.has_at_least(24, 4);
}

// `name=value` and `name:value` are two words.
std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && !is_edge(text[at]) && text[at] != '=' && text[at] != ':') ++at;
  return at;
}

std::string without_pem(std::string_view text) {
  constexpr std::string_view begin = "-----BEGIN";
  constexpr std::string_view end = "-----END";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t block = text.find(begin, at);
    out += text.substr(at, block == std::string_view::npos ? block : block - at);
    if (block == std::string_view::npos) break;
    out += hidden_mark;
    const std::size_t last = text.find(end, block);
    const std::size_t dashes = last == std::string_view::npos ? last : text.find("-----", last + end.size());
    if (dashes == std::string_view::npos) break;
    at = dashes + 5;
  }
  return out;
}

// The begin and end of the user part in a chunk without blanks, `https://USER:PASSWORD@`; both 0: there is none.
std::pair<std::size_t, std::size_t> user_of(std::string_view chunk) {
  const std::size_t mark = chunk.find("://");
  const std::size_t begin = mark == std::string_view::npos ? 0 : mark + 3;
  const std::string_view rest = chunk.substr(begin);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos && (begin > 0 || authority.find(':') < at))
    return {begin, begin + at};
  // A password with a slash in it.
  const std::size_t colon = authority.find(':');
  const std::size_t at = rest.rfind('@');
  const bool has_port = colon != std::string_view::npos && parse_decimal<int>(authority.substr(colon + 1)).has_value();
  if (colon == std::string_view::npos || at == std::string_view::npos || has_port || begin == 0) return {};
  return {begin, begin + at};
}

std::string without_users(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && !is_blank(text[end]) && text[end] != '"' && text[end] != '\'') ++end;
    const std::string_view chunk = text.substr(at, end - at);
    const auto [begin, stop] = user_of(chunk);
    if (stop > begin) {
      out += chunk.substr(0, begin);
      out += hidden_mark;
      out += chunk.substr(stop);
    } else {
      out += chunk;
    }
    if (end < text.size()) out += text[end];
    at = end + 1;
  }
  return out;
}

std::string with_words_hidden(std::string_view shown) {
  std::string out;
  bool is_due = false;     // the word before announces a secret
  bool is_likely = false;  // it may: "secret access key AbCd"
  std::string_view before;
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t end = end_of_word(shown, at);
    const std::string_view word = shown.substr(at, end - at);
    if (!word.empty()) {
      const bool is_hidden_word =
          word != hidden_mark && !is_scheme(word) && (is_due || (is_likely && !is_plain(word)) || looks_secret(word));
      out += is_hidden_word ? hidden_mark : word;
      const std::size_t next = shown.find_first_not_of(" \t\"'", end);
      // `access token:: failure …` is how Go joins two messages.
      const bool is_joined = next != std::string_view::npos && shown.compare(next, 2, "::") == 0;
      const bool is_assigned = next != std::string_view::npos && !is_joined && (shown[next] == '=' || shown[next] == ':');
      const bool names = names_secret(word);
      const bool is_joint = is_likely && (word == "is" || word == "was");
      // Registries say `may require authorization: server message: …`.
      const bool is_required = before == "require" && word == "authorization";
      is_due = is_scheme(word) || (names && is_assigned && !is_required);
      is_likely = (names && (!is_assigned || is_required)) || is_joint;
      before = word;
    }
    if (end < shown.size()) out += shown[end];
    at = end + 1;
  }
  return out;
}

}  // namespace

bool begins_as_secret(std::string_view text) noexcept {
  constexpr std::array starts = {std::string_view("eyJ"),         std::string_view("ya29."),   std::string_view("-----"),
                                 std::string_view("k8s-aws-v1."), std::string_view("LS0tLS1"), std::string_view("GOCSPX-"),
                                 std::string_view("AIza"),        std::string_view("1//0"),    std::string_view("ghp_"),
                                 std::string_view("gho_"),        std::string_view("ghs_"),    std::string_view("ghu_"),
                                 std::string_view("github_pat_"), std::string_view("glpat-"),  std::string_view("hvs."),
                                 std::string_view("hvb."),        std::string_view("sha256~"), std::string_view("xoxb-")};
  return std::any_of(starts.begin(), starts.end(), [text](std::string_view start) { return text.starts_with(start) && text.size() > 8; });
}

bool looks_secret(std::string_view word) noexcept { return begins_as_secret(word) || is_random(word); }

bool looks_secret_for_name(std::string_view name) noexcept {
  constexpr std::string_view marks = "-./:_+%";
  const auto is_usual = [marks](char c) { return is_lower(c) || is_digit(c) || marks.find(c) != std::string_view::npos; };
  return begins_as_secret(name) || (looks_secret(name) && !std::all_of(name.begin(), name.end(), is_usual));
}

std::string without_secrets(std::string_view text) {
  constexpr int max_passes = 8;
  std::string shown = with_words_hidden(without_users(without_pem(text)));
  // What was hidden may have been between the parts of another secret: a slash between a user and its password.
  for (int pass = 1; pass < max_passes; ++pass) {
    std::string again = with_words_hidden(without_users(shown));
    if (again == shown) break;
    shown = std::move(again);
  }
  return shown;
}

std::string quoted_words(std::string_view text, std::size_t max_bytes) { return quoted(without_secrets(text), max_bytes); }

}  // namespace rollcall
