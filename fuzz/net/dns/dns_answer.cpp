// Fuzz target: answers of name servers. The first byte chooses the requested type. Every host can be written as an address and read back.
#include "net/dns/dns_transport.hpp"

#include "check.hpp"
#include "rollcall/endpoint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  constexpr DnsType types[] = {DnsType::a, DnsType::aaaa, DnsType::srv};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto entries = parse_dns_answer(bytes, types[data[0] % 3], 20);
  require_sane(entries);
  if (!entries) return 0;
  require(entries->size() <= 20);
  for (const DnsEntry& entry : *entries) {
    const Endpoint endpoint(entry.host, 99);
    const Result<Endpoint> again = Endpoint::parse(endpoint.to_text());
    require(entry.host.empty() || (again && *again == endpoint));
  }
  return 0;
}
