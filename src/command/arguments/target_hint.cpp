#include "command/arguments/target_hint.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/text.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall::tools {
namespace {

bool is_scheme_char(char c) { return is_alnum(c) || c == '-' || c == '_'; }

// `10.0.0.1:8470`, `host:8470`, `[::1]:8470`
bool is_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  return colon != std::string_view::npos && colon > 0 && text.find_first_of("/=,") == std::string_view::npos &&
         parse_decimal<std::uint16_t>(text.substr(colon + 1), 1).has_value();
}

Failure bad_scheme(std::string_view text, const std::string& what, const std::string& meant) {
  return Failure(Errc::invalid_argument, fmt::format("{} {}", quoted(text, 128), what))
      .with_hint(fmt::format("did you mean {}?", printable(meant, 160)));
}

}  // namespace

Result<void> check_scheme(std::string_view text) {
  if (text.empty())
    return Failure(Errc::invalid_argument, "a target is empty").with_hint("targets look like tpu:trainer; see rollcall spec --help");
  std::size_t size = 0;
  while (size < text.size() && is_scheme_char(text[size])) ++size;
  const bool has_scheme = size > 0 && size < text.size() && text[size] == ':';
  const std::string_view scheme = text.substr(0, size);
  const std::string_view rest = has_scheme ? text.substr(size + 1) : std::string_view();
  std::vector<std::string_view> names;
  for (const TargetScheme* known : target_schemes()) {
    if (has_scheme && scheme == known->name) return Result<void>();
    if (text == known->name) return bad_scheme(text, "lacks its colon", std::string(known->example));
    names.push_back(known->name);
  }
  if (is_address(text)) return bad_scheme(text, "is an address, not a target", fmt::format("tpu:grpc://{}", text));
  if (!has_scheme) return bad_scheme(text, "has no scheme", fmt::format("{}:{}", text.starts_with("job.") ? "simple" : "tpu", text));
  if (scheme == "grpc" && rest.starts_with("//")) return bad_scheme(text, "has no scheme of a target", fmt::format("tpu:{}", text));
  if (const auto meant = nearest(scheme, names))
    return bad_scheme(text, fmt::format("has an unknown scheme, {}", quoted(scheme, 64)), fmt::format("{}:{}", *meant, rest));
  return Failure(Errc::invalid_argument, fmt::format("{} has an unknown scheme, {}", quoted(text, 128), quoted(scheme, 64)))
      .with_hint(fmt::format("targets begin with {}:", fmt::join(names, ":, ")));
}

}  // namespace rollcall::tools
