#include "base/path_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "base/url.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_path_bytes = 4095;  // Linux's limits
constexpr std::size_t max_name_bytes = 255;

bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool begins_as_content(std::string_view text) noexcept {
  text = trim(text);
  return std::any_of(text.begin(), text.end(), is_control) || text.starts_with('{') || text.starts_with("[{") ||
         text.starts_with("apiVersion:") || begins_as_secret(text);
}

std::string of_no_path(std::string_view text) { return fmt::format("(a text of {} bytes, which is no path)", text.size()); }

// Hides secrets in each part between slashes; a base64 text may continue after its slashes.
std::string without_secret_parts(std::string_view path) {
  std::string out;
  const std::vector<std::string_view> parts = split(path, '/');
  const bool is_whole = looks_secret(path) && std::none_of(parts.begin(), parts.end(), looks_secret);
  bool is_first = true;
  for (const std::string_view part : parts) {
    if (!is_first) out += '/';
    is_first = false;
    if (begins_as_secret(part) || (is_whole && std::any_of(part.begin(), part.end(), is_upper))) return out + "***";
    out += looks_secret(part) ? "***" : without_secrets(part);
  }
  return out;
}

bool is_key(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_alnum(c) || c == '_' || c == '.' || c == '-' || c == '%'; });
}

// For one value of a target, which may be percent-encoded.
std::string value_text(std::string_view value, bool is_body) {
  const std::string decoded = percent_decode(value).value_or(std::string(value));
  if (begins_as_content(decoded) || (is_body && looks_secret_for_name(decoded))) return "***";
  if (is_body) return std::string(value);
  const std::string shown = without_secrets(decoded);
  if (shown == decoded) return std::string(value);
  return decoded == value ? shown : "***";
}

}  // namespace

bool holds_content(std::string_view text) noexcept {
  if (begins_as_content(text) || text.size() > max_path_bytes) return true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    if (end - at > max_name_bytes) return true;
    at = end + 1;
  }
  return false;
}

std::string path_text(std::string_view path, std::size_t max_bytes) {
  return holds_content(path) ? of_no_path(path) : printable(without_secret_parts(path), max_bytes);
}

std::string quoted_path(std::string_view path, std::size_t max_bytes) {
  return holds_content(path) ? of_no_path(path) : quoted(without_secret_parts(path), max_bytes);
}

std::string target_text(std::string_view target, std::size_t max_bytes) {
  // The content of a file has line ends, a target has none: the text after the first line end is not checked.
  const std::size_t line_end = target.find_first_of("\r\n");
  if (line_end != std::string_view::npos) return of_no_path(target);
  std::string out;
  bool is_first = true;
  for (const std::string_view part : split(target, ',')) {
    if (!is_first) out += ',';
    is_first = false;
    const std::size_t colon = out.empty() ? part.find(':') : std::string_view::npos;
    const std::size_t equals = part.find('=');
    const bool has_key = equals != std::string_view::npos && is_key(part.substr(colon + 1, equals - colon - 1));  // colon + 1 may be 0
    const std::size_t begin = has_key ? equals + 1 : colon + 1;
    out += part.substr(0, begin);
    out += value_text(part.substr(begin), begin > 0 && !has_key);
  }
  return printable(out, max_bytes);
}

std::string quoted_target(std::string_view target, std::size_t max_bytes) { return fmt::format("'{}'", target_text(target, max_bytes)); }

Result<void> check_path(std::string_view name, std::string_view path) {
  if (!holds_content(path)) return {};
  return Failure(Errc::invalid_argument, fmt::format("{} holds a file's content, not its path", name))
      .with_hint("write the content to a file that its owner alone can read, and give that file's path");
}

Result<std::string> path_variable(const Environment& environment, std::string_view name) {
  std::string path = environment.get(name).value_or("");
  const Result<void> fine = check_path(name, path);
  if (!fine) return fine.error();
  return path;
}

}  // namespace rollcall
