// Fuzz target: the requests of one stream of endpoint discovery, each behind its length in two bytes. Checks that accepted requests
// are bounded, and that a stream gets nothing that it has not subscribed, and nothing twice. The whole input is also parsed as JSON.
#include <algorithm>

#include "check.hpp"
#include "fleet/xds/rules/subscriptions.hpp"

namespace {

using namespace rollcall;
using namespace rollcall::fleet;

void require_bounded_request(const Result<DiscoveryRequest>& request) {
  require_sane(request);
  if (!request) return;
  require(request->names.size() <= max_discovered_names && std::is_sorted(request->names.begin(), request->names.end()));
  require(std::adjacent_find(request->names.begin(), request->names.end()) == request->names.end());
  for (const std::string& name : request->names) require(name.size() <= max_discovered_name);
  constexpr std::size_t max = 1024;
  require(request->version.size() <= max && request->node.size() <= max && request->nonce.size() <= max);
  require(request->error.value_or("").size() <= max && request->type_url.size() <= max);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  require_bounded_request(DiscoveryRequest::parse_json(text));
  Subscriptions stream;
  // Names whose first byte is odd exist; all of them have equal resources.
  const auto poll = [](ResourceType, const std::string& name) -> ResourceBytes {
    if (name.empty() || name.front() % 2 == 0) return nullptr;
    return std::make_shared<const std::string>(name);
  };
  while (text.size() > 2) {
    const std::size_t length = static_cast<unsigned char>(text[0]) + 256U * static_cast<unsigned char>(text[1]);
    const Result<DiscoveryRequest> request = DiscoveryRequest::parse(text.substr(2, length));
    require_bounded_request(request);
    if (!request) return 0;
    text.remove_prefix(std::min(text.size(), length + 2));
    const std::optional<ResourceType> type = resource_type_of(request->type_url);
    if (!type) continue;
    if (!stream.take(*type, *request)) return 0;
    require(stream.names().size() <= max_discovered_names);
    for (const ResourceType reported : {ResourceType::cluster, ResourceType::endpoints, ResourceType::listener}) {
      const std::optional<Subscriptions::Answer> answer = stream.answer(reported, poll);
      if (!answer) continue;
      for (const ResourceBytes& resource : answer->resources) require(stream.names().contains(*resource));
      require(!stream.answer(reported, poll));
      require(render_discovery(reported, "v", answer->nonce, answer->resources).size() > 0);
    }
  }
  return 0;
}
