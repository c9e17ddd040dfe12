#include "resolvers/tpu/wire/tpu_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

constexpr std::string_view endpoints_attribute = "worker-network-endpoints";

template <class Take>
Result<void> each_item(std::string_view from, std::string_view text, std::size_t most, Take take) {
  std::size_t count = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (count++ == most) return Failure(Errc::limit_exceeded, fmt::format("{} lists more than {} hosts", from, most));
    const Result<void> taken = take(trim(text.substr(at, end - at)), count - 1);
    if (!taken) return taken;
    at = end + 1;
  }
  return {};
}

Failure bad_tpu_endpoint(std::string_view item, std::size_t index, std::string_view why) {
  return Failure(Errc::malformed_response,
                 fmt::format("the metadata value {}: element {} is {}: {}", endpoints_attribute, index, quoted(item, 80), why));
}

}  // namespace

Result<TpuHosts> parse_worker_network_endpoints(std::string_view text, std::size_t most) {
  TpuHosts list;
  list.from = endpoints_attribute;
  const Result<void> fine = each_item(list.from, trim(text), most, [&list](std::string_view item, std::size_t index) -> Result<void> {
    const std::size_t first = item.starts_with('[') ? std::string_view::npos : item.find(':');
    const std::size_t second = first == std::string_view::npos ? first : item.find(':', first + 1);
    const bool is_triple = second != std::string_view::npos && !service_host(item.substr(0, first)).empty() && second > first + 1 &&
                           !service_host(item.substr(second + 1)).empty();
    const bool is_alone = !service_host(item).empty();
    if (is_triple && is_alone) return bad_tpu_endpoint(item, index, "an IPv6 address, or name:uid:address; that cannot be told");
    if (!is_triple && !is_alone) return bad_tpu_endpoint(item, index, "neither a host nor name:uid:address");
    list.hosts.emplace_back(service_host(is_triple ? item.substr(second + 1) : item));
    list.names.push_back(is_triple ? std::string(item.substr(0, first)) : list.hosts.back());
    return {};
  });
  if (!fine) return fine.error();
  return list;
}

Result<TpuHosts> parse_host_names(std::string_view from, std::string_view text, std::size_t most) {
  TpuHosts list;
  list.from = from;
  const Result<void> fine = each_item(from, trim(text), most, [&list](std::string_view item, std::size_t index) -> Result<void> {
    const std::string_view host = service_host(item);
    if (host.empty())
      return Failure(Errc::invalid_argument, fmt::format("{}: element {} is {}, no host name", list.from, index, quoted(item, 80)));
    list.hosts.emplace_back(host);
    return {};
  });
  if (!fine) return fine.error();
  return list;
}

}  // namespace rollcall
