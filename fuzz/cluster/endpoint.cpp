// Fuzz target: endpoints and lists of them; parsed ones must print and parse to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "rollcall/endpoint.hpp"

using namespace rollcall;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Endpoint> endpoint = Endpoint::parse(text);
  if (endpoint) {
    const Result<Endpoint> again = Endpoint::parse(endpoint->to_text());
    if (!again || *again != *endpoint) std::abort();
  }
  const Result<std::vector<Endpoint>> list = parse_endpoint_list(text);
  if (!list && list.error().message().empty()) std::abort();
  if (!list) return 0;
  for (const Endpoint& element : *list) {
    const Result<Endpoint> again = Endpoint::parse(element.to_text());
    if (!again || *again != element || !element.port) std::abort();
  }
  return 0;
}
