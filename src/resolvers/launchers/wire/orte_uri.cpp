#include "resolvers/launchers/wire/orte_uri.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {

Result<OrteUri> parse_orte_uri(std::string_view text) {
  const auto fault = [&](std::string_view what) {
    return Failure(Errc::invalid_argument, fmt::format("OMPI_MCA_orte_hnp_uri is {}: {}", quoted(text), what));
  };
  const std::size_t dot = std::min(text.find('.'), text.size());
  const auto job = parse_decimal<std::uint64_t>(text.substr(0, dot));
  if (!job) return fault("it does not begin with the job's number");
  OrteUri uri;
  uri.job = *job;
  constexpr std::string_view v4 = "tcp://";
  constexpr std::string_view v6 = "tcp6://[";
  std::size_t start = text.find(v4);
  std::string_view ends = ",:";
  if (start != std::string_view::npos) {
    start += v4.size();
  } else {
    start = text.find(v6);
    if (start == std::string_view::npos) return fault("it has no tcp:// or tcp6:// address");
    start += v6.size();
    ends = ",]";
  }
  const std::size_t end = text.find_first_of(ends, start);
  if (end == std::string_view::npos) return fault("its address does not end");
  const std::string_view host = text.substr(start, end - start);
  const Result<Endpoint> endpoint = Endpoint::parse(host);
  if (!endpoint || endpoint->port) return fault(fmt::format("{} is no address", quoted(host, 80)));
  uri.host = endpoint->host;
  return uri;
}

std::string coordinator_of(const OrteUri& uri) {
  return Endpoint(uri.host, static_cast<std::uint16_t>(uri.job / 4096 % 4096 + 61440)).to_text();
}

}  // namespace rollcall
