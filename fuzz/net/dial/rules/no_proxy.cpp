// Fuzz target: lists of exceptions. The first line is the list, the second a host: the verdict does not depend on the host's case or its
// last dot, the host itself in the list always matches, and one more entry never takes one away.
#include "net/dial/rules/no_proxy.hpp"

#include "base/text.hpp"
#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view list = text.substr(0, text.find('\n'));
  const std::string host(list.size() < text.size() ? text.substr(list.size() + 1) : std::string_view());
  const bool is_in = NoProxy(list).has(host, 443);
  require(NoProxy(list).has(to_lower(host), 443) == is_in);
  static_cast<void>(is_near_host(host));
  if (is_in) require(NoProxy("a.test," + std::string(list)).has(host, 443));
  const bool is_plain =
      !host.empty() && host.find_first_of(", \t\r\n/[]:*%") == std::string::npos && host.front() != '.' && host.back() != '.';
  if (is_plain) require(NoProxy(std::string(list) + "," + host).has(host, 443));
  if (read_ip(host) && host.find_first_of("%") == std::string::npos) require(NoProxy(host).has(host, 443));
  return 0;
}
