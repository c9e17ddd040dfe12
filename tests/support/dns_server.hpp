// A DNS server on loopback that answers, refuses or does not answer, as the test sets.
#pragma once

#include <fmt/format.h>

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rollcall::testing {

/// The records of one name. Queries for other names get `NXDOMAIN`.
class DnsRecord {
 public:
  DnsRecord() {}
  DnsRecord& address(const std::string& text) {
    const asio::ip::address parsed = asio::ip::make_address(text);
    (parsed.is_v4() ? v4 : v6).push_back(parsed);
    return *this;
  }
  // clang-format off
  DnsRecord& code(int rcode) { response_code = rcode; return *this; }   ///< 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED
  DnsRecord& silent() { is_silent = true; return *this; }
  // clang-format on
  std::vector<asio::ip::address> v4;
  std::vector<asio::ip::address> v6;
  int response_code = 0;
  bool is_silent = false;
};

class DnsServer {
 public:
  explicit DnsServer(asio::io_context& io) : state_(std::make_shared<State>(io)) { State::receive(state_); }
  ~DnsServer() { state_->socket.close(); }
  DnsServer(const DnsServer&) = delete;
  DnsServer& operator=(const DnsServer&) = delete;

  DnsRecord& name(const std::string& host) { return state_->records[host]; }
  /// For NetworkOptions::dns_servers.
  std::string where() const { return fmt::format("127.0.0.1:{}", state_->socket.local_endpoint().port()); }
  int queries() const noexcept { return state_->queries; }

 private:
  struct State {
    explicit State(asio::io_context& io) : socket(io, asio::ip::udp::endpoint(asio::ip::address_v4::loopback(), 0)) {}
    asio::ip::udp::socket socket;
    asio::ip::udp::endpoint from;
    std::array<unsigned char, 1500> buffer{};
    std::map<std::string, DnsRecord> records;
    int queries = 0;

    static void receive(const std::shared_ptr<State>& self) {
      self->socket.async_receive_from(asio::buffer(self->buffer), self->from, [self](std::error_code error, std::size_t size) {
        if (error) return;
        self->answer(size);
        receive(self);
      });
    }

    void answer(std::size_t size) {
      constexpr std::size_t header = 12;
      if (size < header + 5) return;
      ++queries;
      std::string host;
      std::size_t at = header;
      while (at < size && buffer[at] != 0) {
        const std::size_t length = buffer[at];
        if (at + 1 + length > size) return;
        if (!host.empty()) host += '.';
        host.append(reinterpret_cast<const char*>(&buffer[at + 1]), length);
        at += 1 + length;
      }
      if (at + 5 > size) return;
      const int type = buffer[at + 1] * 256 + buffer[at + 2];
      const std::size_t end_of_question = at + 5;
      const auto found = records.find(host);
      if (found != records.end() && found->second.is_silent) return;
      std::vector<asio::ip::address> addresses;
      int code = 3;
      if (found != records.end()) {
        code = found->second.response_code;
        if (code == 0 && type == 1) addresses = found->second.v4;
        if (code == 0 && type == 28) addresses = found->second.v6;
      }
      std::string out(reinterpret_cast<const char*>(buffer.data()), end_of_question);
      out[2] = static_cast<char>(0x81);                 // an answer to a recursive query
      out[3] = static_cast<char>(0x80 | code);
      out[7] = static_cast<char>(addresses.size());     // answers
      out[8] = out[9] = out[10] = out[11] = 0;          // no authority, nothing additional
      for (const asio::ip::address& address : addresses) {
        static constexpr char name_class_ttl[] = "\xc0\x0c\x00?\x00\x01\x00\x00\x00\x3c\x00";
        const std::size_t start = out.size();
        out.append(name_class_ttl, sizeof name_class_ttl - 1);
        out[start + 3] = static_cast<char>(type);
        if (address.is_v4()) {
          const auto bytes = address.to_v4().to_bytes();
          out += static_cast<char>(bytes.size());
          out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        } else {
          const auto bytes = address.to_v6().to_bytes();
          out += static_cast<char>(bytes.size());
          out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        }
      }
      std::error_code ignored;
      socket.send_to(asio::buffer(out), from, 0, ignored);
    }
  };
  std::shared_ptr<State> state_;
};

}  // namespace rollcall::testing
