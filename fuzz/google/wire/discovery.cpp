// Discovery templates and documents.
#include "google/wire/discovery.hpp"

#include "check.hpp"
#include "rollcall/http_message.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<std::string> address = expand_discovery_template("the input", text, "tpu", "v2");
  require_sane(address);
  if (address) require(address->find_first_of("{} \n") == std::string::npos);
  const Result<DiscoveryDocument> document = parse_discovery(text);
  require_sane(document);
  if (document) require(Url::parse(document->base_url()).has_value() && document->base_url().back() == '/');
  return 0;
}
