// Fuzz target: proxy URLs. A parsed URL can be printed, parses to the same, and shows no credentials; failures show no text at all.
#include "base/proxy_url.hpp"

#include <set>
#include <string>

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<ProxyUrl> url = ProxyUrl::parse(text, "HTTPS_PROXY");
  require_sane(url);
  if (!url) {
    // Another input with the same fault has the same message: nothing of the input is in it.
    static std::set<std::string> reported;
    reported.insert(url.error().message());
    require(reported.size() < 32);
    return 0;
  }
  require(!url->host.empty() && url->port != 0);
  require(url->user.size() <= 255 && url->password.reveal().size() <= 255);
  require_printable(url->shown());
  const Result<ProxyUrl> again = ProxyUrl::parse(url->shown(), "again");
  require(again && again->shown() == url->shown() && again->scheme == url->scheme && again->host == url->host && !again->has_credentials());
  return 0;
}
