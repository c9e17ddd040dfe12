// A name server of the test, and the records of its answers.
#pragma once

#include <fmt/format.h>

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>
#include <asio/write.hpp>
#include <functional>
#include <string>
#include <vector>

namespace rollcall::testing {

inline std::string dns_number(unsigned value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = size; i-- > 0;) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

// One record, whose name points to the question's.
inline std::string dns_record(unsigned type, unsigned ttl, const std::string& data) {
  return "\xc0\x0c" + dns_number(type, 2) + dns_number(1, 2) + dns_number(ttl, 4) + dns_number(static_cast<unsigned>(data.size()), 2) +
         data;
}

inline std::string dns_label(const std::string& label) { return static_cast<char>(label.size()) + label; }

inline std::string dns_service(unsigned priority, unsigned port, const std::string& label) {
  return dns_number(priority, 2) + dns_number(0, 2) + dns_number(port, 2) + dns_label(label) + std::string("\x04test\x00", 6);
}

inline const std::string service_question = dns_number(7, 2) + dns_number(0x0100, 2) + dns_number(1, 2) + std::string(6, '\0') +
                                            std::string("\x01w\x04test\x00", 8) + dns_number(33, 2) + dns_number(1, 2);

inline constexpr unsigned truncated = 0x0200;

// The answer to a question: `code` is 3 for NXDOMAIN and so on.
inline std::string dns_reply(const std::string& question, const std::vector<std::string>& records, unsigned code = 0, unsigned flags = 0) {
  std::string reply = question.substr(0, 2) + dns_number(0x8180 | flags | code, 2) + question.substr(4, 2) +
                      dns_number(static_cast<unsigned>(records.size()), 2) + std::string(4, '\0') + question.substr(12);
  for (const std::string& record : records) reply += record;
  return reply;
}

/// A name server over UDP and TCP, whose answers the test sets.
class NameServer {
 public:
  using Answer = std::function<std::string(const std::string& question, bool is_tcp)>;  // nothing: silence
  NameServer(asio::io_context& io, Answer answer, bool has_tcp = true) : answer_(std::move(answer)), udp_(io), acceptor_(io), stream_(io) {
    // One port for both, which another process may have taken for one of them.
    for (std::error_code taken = std::make_error_code(std::errc::address_in_use); taken;) {
      acceptor_ = asio::ip::tcp::acceptor(io, {asio::ip::address_v4::loopback(), 0});
      udp_ = asio::ip::udp::socket(io, asio::ip::udp::v4());
      udp_.bind({asio::ip::address_v4::loopback(), acceptor_.local_endpoint().port()}, taken);
    }
    receive();
    if (!has_tcp) {
      acceptor_.close();
      return;
    }
    acceptor_.async_accept(stream_, [this](std::error_code error) {
      if (!error) serve_stream();
    });
  }
  std::string where() const { return fmt::format("127.0.0.1:{}", udp_.local_endpoint().port()); }
  int udp_questions = 0;
  int tcp_questions = 0;

 private:
  void receive() {
    udp_.async_receive_from(asio::buffer(buffer_), from_, [this](std::error_code error, std::size_t size) {
      if (error) return;
      ++udp_questions;
      const std::string reply = answer_(std::string(buffer_.data(), size), false);
      std::error_code ignored;
      if (!reply.empty()) udp_.send_to(asio::buffer(reply), from_, 0, ignored);
      receive();
    });
  }
  void serve_stream() {
    stream_.async_read_some(asio::buffer(tcp_buffer_), [this](std::error_code error, std::size_t size) {
      if (error || size < 14) return;
      ++tcp_questions;
      const std::string reply = answer_(std::string(tcp_buffer_.data() + 2, size - 2), true);
      std::error_code ignored;
      asio::write(stream_, asio::buffer(dns_number(static_cast<unsigned>(reply.size()), 2) + reply), ignored);
    });
  }

  Answer answer_;
  asio::ip::udp::socket udp_;
  asio::ip::tcp::acceptor acceptor_;
  asio::ip::tcp::socket stream_;
  asio::ip::udp::endpoint from_;
  std::array<char, 1500> buffer_{};
  std::array<char, 1500> tcp_buffer_{};
};

}  // namespace rollcall::testing
