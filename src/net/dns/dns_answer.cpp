#include "net/dns/dns_transport.hpp"

#include <ares.h>
#include <arpa/nameser.h>
#include <fmt/format.h>

#include <algorithm>
#include <asio/ip/address.hpp>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "cluster/service_address.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_name = 253;  // as text, without a last dot (RFC 1035, 2.3.4)

// A cursor over a message; every step returns whether there were enough bytes. libc's ns_parserr would save some of this code, but is in
// libresolv, one more library to link, and refuses a whole answer for a fault, or excess data, after the requested records, and a refusal
// that does not repeat its question.
class DnsCursor {
 public:
  explicit DnsCursor(std::string_view bytes) : bytes_(bytes) {}
  std::size_t at = 0;

  std::optional<unsigned> number(std::size_t size) {
    if (bytes_.size() - at < size) return std::nullopt;
    unsigned value = 0;
    for (const std::size_t end = at + size; at < end; ++at) value = value << 8 | static_cast<unsigned char>(bytes_[at]);
    return value;
  }

  // A name, which may point to earlier bytes: a few bytes can expand to a name as long as the message allows.
  std::optional<std::string> name() {
    const auto* const begin = reinterpret_cast<const unsigned char*>(bytes_.data());
    char* text = nullptr;
    long length = 0;
    if (at >= bytes_.size()) return std::nullopt;
    if (ares_expand_name(begin + at, begin, static_cast<int>(bytes_.size()), &text, &length) != ARES_SUCCESS) return std::nullopt;
    std::string result(text);
    ares_free_string(text);
    if (result.size() > max_name) return std::nullopt;
    at += static_cast<std::size_t>(length);
    return result;
  }

 private:
  std::string_view bytes_;
};

Failure malformed(std::string what) { return Failure(Errc::malformed_response, std::move(what)).with_phase(Phase::resolve); }
Failure unreadable() { return malformed("the name server's answer cannot be read"); }

Result<DnsEntry> read_address(std::string_view data, DnsType type) {
  DnsEntry entry;
  if (type == DnsType::a) {
    asio::ip::address_v4::bytes_type bytes;
    if (data.size() != bytes.size()) return unreadable();
    std::memcpy(bytes.data(), data.data(), bytes.size());
    entry.host = asio::ip::address_v4(bytes).to_string();
  } else {
    asio::ip::address_v6::bytes_type bytes;
    if (data.size() != bytes.size()) return unreadable();
    std::memcpy(bytes.data(), data.data(), bytes.size());
    entry.host = asio::ip::address_v6(bytes).to_string();
  }
  return entry;
}

Result<DnsEntry> read_service(DnsCursor cursor) {
  const std::optional<unsigned> priority = cursor.number(2);
  const std::optional<unsigned> weight = cursor.number(2);
  const std::optional<unsigned> port = cursor.number(2);
  if (!priority || !weight || !port) return unreadable();
  const std::optional<std::string> host = cursor.name();
  if (!host) return unreadable();
  // DNS permits any byte in a name. A colon would split into host and port.
  if (!host->empty() && (host->find(':') != std::string::npos || service_host(*host) != *host))
    return malformed(fmt::format("an SRV record names a host {}, which is no host name", quoted(*host)));
  DnsEntry entry;
  entry.host = to_lower(*host);  // case is insignificant, and differs between servers
  entry.priority = static_cast<std::uint16_t>(*priority);
  entry.weight = static_cast<std::uint16_t>(*weight);
  entry.port = static_cast<std::uint16_t>(*port);
  return entry;
}

// The text for a name server's error code (RFC 1035, 4.1.1; RFC 2136, 2.2).
Failure refusal(unsigned code) {
  constexpr std::string_view names[] = {"NOERROR",  "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED",
                                        "YXDOMAIN", "YXRRSET", "NXRRSET",  "NOTAUTH",  "NOTZONE"};
  return Failure(Errc::unreachable, fmt::format("the name server answers with error {}{}", code,
                                                code < std::size(names) ? fmt::format(" ({})", names[code]) : ""))
      .with_phase(Phase::resolve);
}

}  // namespace

Result<std::vector<DnsEntry>> parse_dns_answer(std::string_view bytes, DnsType type, std::size_t max_records) {
  const int wanted = type == DnsType::a ? ns_t_a : type == DnsType::aaaa ? ns_t_aaaa : ns_t_srv;
  DnsCursor cursor(bytes);
  if (bytes.size() < 12 || bytes.size() > 65535) return unreadable();
  if (const unsigned code = static_cast<unsigned char>(bytes[3]) & 0x0fU; code != 0) return refusal(code);
  cursor.at = 4;
  const unsigned questions = *cursor.number(2);
  const unsigned answers = *cursor.number(2);
  cursor.at = 12;
  for (unsigned i = 0; i < questions; ++i) {
    if (!cursor.name() || !cursor.number(4)) return unreadable();
  }
  std::vector<DnsEntry> entries;
  std::map<std::pair<std::string, std::uint16_t>, std::size_t> places;
  unsigned shortest_alias = ~0U;
  for (unsigned i = 0; i < answers; ++i) {
    if (!cursor.name()) return unreadable();
    const std::optional<unsigned> kind = cursor.number(2);
    const std::optional<unsigned> record_class = cursor.number(2);
    const std::optional<unsigned> ttl = cursor.number(4);
    const std::optional<unsigned> size = cursor.number(2);
    if (!kind || !record_class || !ttl || !size || bytes.size() - cursor.at < *size) return unreadable();
    DnsCursor data = cursor;
    const std::string_view content = bytes.substr(cursor.at, *size);
    cursor.at += *size;
    if (*record_class != ns_c_in) continue;
    if (*kind == ns_t_cname) shortest_alias = std::min(shortest_alias, *ttl);
    if (*kind != static_cast<unsigned>(wanted)) continue;
    Result<DnsEntry> entry = type == DnsType::srv ? read_service(data) : read_address(content, type);
    if (!entry) return entry.error();
    entry->ttl = std::chrono::seconds(std::min(*ttl, shortest_alias));
    const auto [place, is_new] = places.try_emplace({entry->host, entry->port}, entries.size());
    if (!is_new) {
      DnsEntry& known = entries[place->second];
      if (entry->priority < known.priority) known = *std::move(entry);
      continue;
    }
    if (entries.size() == max_records) {
      return Failure(Errc::limit_exceeded, fmt::format("the name has more than {} records", max_records)).with_phase(Phase::resolve);
    }
    entries.push_back(*std::move(entry));
  }
  return entries;
}

}  // namespace rollcall
