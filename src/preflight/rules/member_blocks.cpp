#include "preflight/rules/member_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/ip.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall::preflight {
namespace {

std::string network_text(const IpBytes& ip, bool is_ipv4) {
  if (is_ipv4) return fmt::format("{}.{}.{}.0/24", ip[12], ip[13], ip[14]);
  std::string text;
  for (std::size_t i = 0; i < 8; i += 2) text += fmt::format("{:x}:", ip[i] << 8 | ip[i + 1]);
  return text + ":/64";
}

// Nothing: one of them is a name.
std::optional<std::string> network_of(const EvidenceMember& member) {
  const Result<Endpoint> at = Endpoint::parse(member.address);
  if (!at) return std::nullopt;
  const std::optional<IpBytes> ip = read_ip(at->host);
  if (!ip) return std::nullopt;
  return network_text(*ip, is_ipv4_literal(at->host));
}

void take_blocks(std::vector<EvidenceMember>& members, const std::map<std::string, std::string>& by_service) {
  for (EvidenceMember& member : members) {
    const auto known = by_service.find(fmt::format("{}:{}", member.job, member.index));
    member.block = known == by_service.end() ? "" : known->second;
  }
}

void set_networks(PreflightEvidence& evidence) {
  std::vector<std::string> networks;
  for (const EvidenceMember& member : evidence.members) {
    std::optional<std::string> network = network_of(member);
    if (!network) return;
    networks.push_back(std::move(*network));
  }
  for (std::size_t i = 0; i < networks.size(); ++i) evidence.members[i].block = std::move(networks[i]);
}

}  // namespace

void set_blocks(PreflightEvidence& evidence, const std::map<std::string, std::string>& by_service) {
  std::vector<EvidenceMember>& members = evidence.members;
  const auto has_block = [](const EvidenceMember& member) { return !member.block.empty(); };
  if (!by_service.empty()) take_blocks(members, by_service);
  if (std::none_of(members.begin(), members.end(), has_block)) set_networks(evidence);
  const bool is_one =
      std::all_of(members.begin(), members.end(), [&](const EvidenceMember& m) { return m.block == members.front().block; });
  if (!is_one) return;
  for (EvidenceMember& member : members) member.block.clear();
}

}  // namespace rollcall::preflight
