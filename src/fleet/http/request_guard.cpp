#include "fleet/http/request_guard.hpp"

#include <fmt/format.h>

#include <string>

#include "base/text.hpp"
#include "fleet/entry/rules/request_rules.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_request_target = 8 * 1024;

// A link on another site may lead to the overview page: that site can neither read the page nor show it in a frame.
bool opens_page(const ServerRequest& request) {
  return request.target.substr(0, request.target.find_first_of("?#")) == "/" &&
         joined_field(request.headers, "Sec-Fetch-Mode") == "navigate" && joined_field(request.headers, "Sec-Fetch-Dest") == "document";
}

}  // namespace

std::optional<Refusal> refusal_of_origin(const ServerRequest& request, bool is_for_this_machine, bool may_name_other_hosts) {
  if (is_for_this_machine && !may_name_other_hosts && !is_local_authority(request.host)) {
    return Refusal(421,
                   Failure(Errc::invalid_argument, fmt::format("this service serves its own machine, not {}", quoted(request.host, 80)))
                       .with_hint("use its address, 127.0.0.1 or [::1], or localhost"));
  }
  const std::string origin = joined_field(request.headers, "Origin");
  if (!origin.empty() && !is_own_origin(origin, request.host)) {
    return Refusal(403, Failure(Errc::permission_denied, fmt::format("a page of {} may not ask this service", quoted(origin, 80))));
  }
  // A request for an image has no Origin, but browsers send the site of the page (Fetch Metadata).
  const std::string site = joined_field(request.headers, "Sec-Fetch-Site");
  if (!site.empty() && site != "same-origin" && site != "none" && !opens_page(request)) {
    return Refusal(403, Failure(Errc::permission_denied, "a page of another site may not ask this service"));
  }
  if (request.target.size() > max_request_target) {
    return Refusal(414, Failure(Errc::invalid_argument, fmt::format("the address is longer than {} bytes", max_request_target)));
  }
  return std::nullopt;
}

}  // namespace rollcall::fleet
