// Tokens of other providers, as text and as JSON: an accepted one can be sent in a form; no message quotes one.
#include "auth/wire/subject_token.hpp"

#include "auth/wire/canary.hpp"
#include "base/url.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* field : {"", "access_token"}) {
    SubjectTokenFormat format;
    format.json_field = field;
    const Result<Secret<std::string>> token = parse_subject_token("the subject token file /run/token", text, format);
    require_sane(token);
    if (token) {
      require(!token->empty() && token->reveal().size() <= size);
      require(percent_decode(percent_encode(token->reveal(), "-._")).value_or("") == token->reveal());
    }
    require_hidden(text, {"access_token", "id_token"},
                   [&format](std::string_view marked) { return parse_subject_token("the subject token file /run/token", marked, format); });
  }
  return 0;
}
