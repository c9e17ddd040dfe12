#include "fleet/rights/rules/certificate_pattern.hpp"

#include "base/text.hpp"

namespace rollcall::fleet {
namespace {

enum class NameKind { dns, email, uri };

NameKind kind_of(std::string_view name) {
  if (name.find(':') != std::string_view::npos) return NameKind::uri;
  return name.find('@') != std::string_view::npos ? NameKind::email : NameKind::dns;
}

// Matches piece by piece between `separators`, which match only themselves. A star at the end matches any rest if `is_end_free`.
bool match_pieces(std::string_view pattern, std::string_view text, std::string_view separators, bool is_end_free = false) {
  const bool takes_rest = is_end_free && pattern.ends_with('*');
  for (;;) {
    const std::size_t pattern_end = pattern.find_first_of(separators);
    const std::size_t text_end = text.find_first_of(separators);
    if (!glob_match(pattern.substr(0, pattern_end), text.substr(0, text_end))) return false;
    const bool is_last = pattern_end == std::string_view::npos;
    if (is_last) return takes_rest || text_end == std::string_view::npos;
    if (text_end == std::string_view::npos || pattern[pattern_end] != text[text_end]) return false;
    pattern.remove_prefix(pattern_end + 1);
    text.remove_prefix(text_end + 1);
  }
}

class SplitUri {
 public:
  explicit SplitUri(std::string_view text) {
    const std::size_t colon = text.find(':');
    scheme = text.substr(0, colon);
    path = text.substr(colon + 1);
    has_host = path.starts_with("//");
    if (!has_host) return;
    path.remove_prefix(2);
    const std::size_t end = path.find_first_of("/?#");
    host = path.substr(0, end);
    path = end == std::string_view::npos ? std::string_view() : path.substr(end);
  }
  std::string_view scheme;
  std::string_view host;  // with a user and a port, if there are any
  std::string_view path;
  bool has_host = false;
};

bool match_uri(std::string_view pattern, std::string_view name) {
  const SplitUri wanted(pattern);
  const SplitUri found(name);
  if (wanted.has_host != found.has_host || !glob_match(wanted.scheme, found.scheme)) return false;
  if (wanted.has_host && wanted.host == "*" && wanted.path.empty()) return true;
  return match_pieces(wanted.host, found.host, ".:@") && match_pieces(wanted.path, found.path, "/?#", true);
}

bool match_email(std::string_view pattern, std::string_view name) {
  const std::size_t wanted_at = pattern.rfind('@');
  const std::size_t found_at = name.rfind('@');
  return match_pieces(pattern.substr(0, wanted_at), name.substr(0, found_at), "@") &&
         match_pieces(pattern.substr(wanted_at + 1), name.substr(found_at + 1), ".");
}

}  // namespace

bool matches_certificate_name(std::string_view pattern, std::string_view name) {
  if (pattern == "*") return true;
  const NameKind kind = kind_of(name);
  if (kind_of(pattern) != kind) return false;
  switch (kind) {
    case NameKind::uri: return match_uri(pattern, name);
    case NameKind::email: return match_email(pattern, name);
    case NameKind::dns: break;
  }
  return match_pieces(pattern, name, ".");
}

}  // namespace rollcall::fleet
