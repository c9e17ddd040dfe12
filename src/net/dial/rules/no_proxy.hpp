// Matches hosts with a list of hosts that are reached without a proxy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip.hpp"

namespace rollcall {

/// A list in NO_PROXY's form; see ProxySettings::exceptions. Invalid entries match nothing, as in other programs [facts: no-proxy].
class NoProxy {
 public:
  NoProxy() {}
  explicit NoProxy(std::string_view text);
  /// `host` without brackets.
  bool has(std::string_view host, std::uint16_t port) const noexcept;

 private:
  class Network {
   public:
    IpBytes address{};
    unsigned bits = 0;
    std::uint16_t port = 0;  // 0: any
  };
  class Name {
   public:
    std::string text;  // lower case, without dots at its ends
    std::uint16_t port = 0;
  };
  void add(std::string_view entry);

  std::vector<Network> networks_;
  std::vector<Name> names_;
  bool has_all_ = false;
};

}  // namespace rollcall
