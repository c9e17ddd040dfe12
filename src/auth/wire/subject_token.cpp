#include "auth/wire/subject_token.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_subject_token = 256 * 1024;  // SAML answers are long

}  // namespace

Result<Secret<std::string>> parse_subject_token(std::string_view name, std::string_view text, const SubjectTokenFormat& format) {
  const auto refuse = [&name](std::string_view what) {
    return Failure(Errc::invalid_argument, fmt::format("{} {}", name, what))
        .with_hint("see what writes it, and the format in the file's credential_source");
  };
  std::string_view token = trim(text);
  std::optional<Result<JsonDocument>> document;
  if (!format.json_field.empty()) {
    ParseLimits limits;
    limits.max_document = max_subject_token;
    document.emplace(JsonDocument::parse(name, text, limits));
    if (!*document) {
      Failure failure = document->error();
      failure.with_code(Errc::invalid_argument);
      return failure;
    }
    const auto field = find_text((*document)->root(), format.json_field);
    if (!field) return refuse(fmt::format("has no text {}", quoted(format.json_field, 80)));
    token = trim(*field);
  }
  if (token.empty()) return refuse("is empty");
  if (token.size() > max_subject_token) return refuse(fmt::format("has {} bytes", token.size()));
  return Secret<std::string>(std::string(token));
}

}  // namespace rollcall
