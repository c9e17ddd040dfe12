#include "preflight/rules/address_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/ip.hpp"

namespace rollcall::preflight {
namespace {

std::string network_text(const IpBytes& ip, bool is_ipv4) {
  if (is_ipv4) return fmt::format("{}.{}.{}.0/24", ip[12], ip[13], ip[14]);
  std::string text;
  for (std::size_t i = 0; i < 8; i += 2) text += fmt::format("{:x}:", ip[i] << 8 | ip[i + 1]);
  return text + ":/64";
}

}  // namespace

std::vector<std::string> address_blocks(const std::vector<std::string_view>& hosts) {
  std::vector<std::string> blocks;
  for (const std::string_view host : hosts) {
    const std::optional<IpBytes> ip = read_ip(host);
    if (!ip) return std::vector<std::string>(hosts.size());
    blocks.push_back(network_text(*ip, is_ipv4_literal(host)));
  }
  const bool is_one = std::all_of(blocks.begin(), blocks.end(), [&](const std::string& block) { return block == blocks.front(); });
  return is_one ? std::vector<std::string>(hosts.size()) : blocks;
}

}  // namespace rollcall::preflight
