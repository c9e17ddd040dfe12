#include "net/dial/wire/socks5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/ip.hpp"

namespace rollcall {
namespace {

constexpr char version = 5;
constexpr char credentials_version = 1;
constexpr char without_credentials = 0;
constexpr char with_password = 2;
constexpr unsigned char no_method = 0xff;
constexpr char connect_command = 1;
constexpr char of_ipv4 = 1;
constexpr char of_name = 3;
constexpr char of_ipv6 = 4;
constexpr std::size_t max_part = 255;  // one byte holds the length of a name, a user or a password

Failure malformed_socks(std::string what) { return Failure(Errc::malformed_response, std::move(what)); }

// RFC 1928, section 6.
Failure failure_of_reply(unsigned char reply) {
  switch (reply) {
    case 1: return Failure(Errc::unreachable, "failed (general SOCKS server failure)");
    case 2: return Failure(Errc::permission_denied, "does not allow the connection by its rules");
    case 3: return Failure(Errc::unreachable, "could not connect: network unreachable");
    case 4: return Failure(Errc::unreachable, "could not connect: host unreachable");
    case 5: return Failure(Errc::unreachable, "could not connect: connection refused");
    case 6: return Failure(Errc::unreachable, "could not connect: TTL expired");
    case 7: return Failure(Errc::unimplemented, "does not know the command CONNECT");
    case 8: return Failure(Errc::unimplemented, "does not take this type of address");
    default: return malformed_socks(fmt::format("answered with the unknown code {}", reply));
  }
}

void append_part(std::string& to, std::string_view part) {
  to += static_cast<char>(part.size());
  to += part;
}

}  // namespace

Socks5::Socks5(const ProxyUrl& proxy, std::string host, std::uint16_t port) : proxy_(proxy), host_(std::move(host)), port_(port) {}

std::string Socks5::greeting() const {
  std::string text{version};
  append_part(text, proxy_.has_credentials() ? std::string{without_credentials, with_password} : std::string{without_credentials});
  return text;
}

// The length of the message that is being received, as far as its beginning determines it.
std::size_t Socks5::needed() const noexcept {
  if (step_ != Step::connected) return 2;
  if (answer_.size() < 2 || answer_[1] != 0) return 2;  // a refusal may consist of this part only
  constexpr std::size_t head = 5;                       // with the first byte of the address
  if (answer_.size() < head) return head;
  switch (answer_[3]) {
    case of_ipv4: return 10;
    case of_ipv6: return 22;
    case of_name: return 7 + static_cast<std::size_t>(static_cast<unsigned char>(answer_[4]));
    default: return head;
  }
}

Result<Secret<std::string>> Socks5::put(std::string_view bytes) {
  answer_.append(bytes.substr(0, std::min<std::size_t>(bytes.size(), 1024)));
  if (answer_.front() != (step_ == Step::credentials ? credentials_version : version))
    return malformed_socks("does not speak SOCKS5 on this port");
  if (answer_.size() < needed()) return Secret<std::string>();
  const bool is_refusal = step_ == Step::connected && answer_[1] != 0;
  if (answer_.size() > needed() && !is_refusal) return malformed_socks("sent bytes of its own before the tunnel stood");
  return take();
}

Result<Secret<std::string>> Socks5::take() {
  const auto code = static_cast<unsigned char>(answer_[1]);
  const char kind_of_address = answer_.size() > 3 ? answer_[3] : of_ipv4;
  answer_.clear();
  switch (step_) {
    case Step::method: {
      if (code == no_method) {
        Failure failure(Errc::unauthenticated, "accepts none of the ways of signing in that it was offered");
        failure.with_hint(proxy_.has_credentials()
                              ? "it takes no user and password: see its log for what it wants"
                              : fmt::format("it wants a user and a password: put USER:PASSWORD@ before the host in {}", proxy_.from));
        return failure;
      }
      if (code == without_credentials) return request();
      if (code != with_password || !proxy_.has_credentials())
        return malformed_socks(fmt::format("chose the method {}, which was not offered", code));
      step_ = Step::credentials;
      std::string text{credentials_version};
      text.reserve(3 + proxy_.user.size() + proxy_.password.reveal().size());  // otherwise a copy of the password remains in memory
      append_part(text, proxy_.user);
      append_part(text, proxy_.password.reveal());
      return Secret<std::string>(std::move(text));
    }
    case Step::credentials:
      if (code == 0) return request();
      return Failure(Errc::unauthenticated, "refused the user and the password").with_hint("check them in " + proxy_.from);
    case Step::connected:
      if (code != 0) return failure_of_reply(code);
      if (kind_of_address != of_ipv4 && kind_of_address != of_ipv6 && kind_of_address != of_name)
        return malformed_socks(fmt::format("answered with an address of the unknown type {}", static_cast<unsigned char>(kind_of_address)));
      step_ = Step::open;
      break;
    case Step::open: break;
  }
  return Secret<std::string>();
}

Result<Secret<std::string>> Socks5::request() {
  step_ = Step::connected;
  std::string text{version, connect_command, 0};
  if (const std::optional<IpBytes> address = read_ip(host_)) {
    const bool is_v4 = is_ipv4_literal(host_);
    text += is_v4 ? of_ipv4 : of_ipv6;
    text.append(address->begin() + (is_v4 ? bits_before_ipv4 / 8 : 0), address->end());
  } else if (host_.empty() || host_.size() > max_part) {
    return Failure(Errc::invalid_argument, "cannot be given a host name of more than 255 bytes");
  } else {
    text += of_name;
    append_part(text, host_);
  }
  text += static_cast<char>(port_ >> 8);
  text += static_cast<char>(port_ & 0xff);
  return Secret<std::string>(std::move(text));
}

}  // namespace rollcall
