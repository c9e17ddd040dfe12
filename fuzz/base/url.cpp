// Fuzz target: URLs; a parsed URL must print and parse to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "rollcall/http_message.hpp"

using namespace rollcall;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Url> url = Url::parse(text);
  if (!url && url.error().message().empty()) std::abort();
  if (!url) return 0;
  const Result<Url> again = Url::parse(url->origin() + url->target);
  if (!again || again->host != url->host || again->port != url->port || again->target != url->target || again->is_https != url->is_https)
    std::abort();
  if (url->without_query().find('?') != std::string::npos) std::abort();
  return 0;
}
