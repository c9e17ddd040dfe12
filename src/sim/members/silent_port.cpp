// Linux drops the first packet of a connection to a listener whose backlog is full.
#include "sim/members/silent_port.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <asio/ip/tcp.hpp>
#include <cerrno>
#include <cstring>

namespace rollcall::sim {
namespace {

class SilentPort {
 public:
  SilentPort() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), filler_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~SilentPort() {
    for (const int descriptor : {listener_, filler_}) {
      if (descriptor >= 0) ::close(descriptor);
    }
  }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;

  bool open(const asio::ip::tcp::endpoint& at) {
    const int yes = 1;
    return listener_ >= 0 && filler_ >= 0 && ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
           ::bind(listener_, at.data(), static_cast<socklen_t>(at.size())) == 0 && ::listen(listener_, 0) == 0 &&
           ::connect(filler_, at.data(), static_cast<socklen_t>(at.size())) == 0;
  }

 private:
  const int listener_;
  const int filler_;  // a connection that is never taken: the backlog of none is full
};

}  // namespace

Result<std::shared_ptr<void>> open_silent_port(const Endpoint& at) {
  std::error_code error;
  const asio::ip::tcp::endpoint place(asio::ip::make_address(at.host, error), at.port.value_or(0));
  const auto port = std::make_shared<SilentPort>();
  if (!error && port->open(place)) return std::shared_ptr<void>(port);
  return Failure(Errc::failed_precondition,
                 fmt::format("cannot listen on {}: {}", at.to_text(), error ? error.message() : std::string(std::strerror(errno))));
}

}  // namespace rollcall::sim
