// This machine's name and addresses.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "call/runtime_impl.hpp"
#include "rollcall/own_task.hpp"

namespace rollcall {
namespace {

// Empty: another address family.
std::string address_text(const sockaddr& address) {
  const void* bytes = nullptr;
  if (address.sa_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  if (address.sa_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  char text[INET6_ADDRSTRLEN];
  return bytes && ::inet_ntop(address.sa_family, bytes, text, sizeof text) ? text : "";
}

}  // namespace

OwnMachine own_machine() {
  OwnMachine machine;
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) == 0 && name[0] != '\0') machine.names.emplace_back(name);
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return machine;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> interfaces(first, ::freeifaddrs);
  for (const ifaddrs* one = first; one; one = one->ifa_next) {
    if (!one->ifa_addr || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    std::string address = address_text(*one->ifa_addr);
    const bool is_known = std::find(machine.addresses.begin(), machine.addresses.end(), address) != machine.addresses.end();
    if (!address.empty() && !is_known) machine.addresses.push_back(std::move(address));
  }
  return machine;
}

Result<OwnTask> find_own_task(const Runtime& runtime, const ClusterSpec& spec, const KnownTask& known, const std::vector<Member>& members) {
  return find_own_task(spec, *impl_of(runtime).environment, own_machine(), known, members);
}

}  // namespace rollcall
