#include "net/dial/local_socket.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/path_text.hpp"

namespace rollcall {
namespace {

Failure local_failure(int error, const std::string& path) {
  const Errc code = error == EACCES || error == EPERM ? Errc::permission_denied : Errc::unreachable;
  return Failure(code,
                 fmt::format("could not connect to the unix socket {}: {}", quoted_path(path), std::generic_category().message(error)))
      .with_phase(Phase::connect)
      .with_hint(code == Errc::permission_denied ? "the socket belongs to another user, or its folder cannot be entered"
                                                 : "check the path, and that the service listens there");
}

}  // namespace

Result<Stream> connect_local(const asio::any_io_executor& executor, const std::string& path) {
  sockaddr_un address{};
  if (path.empty() || path.size() >= sizeof address.sun_path || path.find('\0') != std::string::npos) {
    return Failure(Errc::invalid_argument,
                   fmt::format("{} is no path of a unix socket: those have 1 to {} bytes", quoted_path(path), sizeof address.sun_path - 1));
  }
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return local_failure(errno, path);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    ::close(fd);
    return local_failure(error, path);
  }
  // The rest of the transport knows one kind of socket, and uses it by its descriptor.
  asio::ip::tcp::socket socket(executor);
  std::error_code error;
  socket.assign(asio::ip::tcp::v4(), fd, error);
  if (error) {
    ::close(fd);
    return local_failure(error.value(), path);
  }
  return Stream(std::move(socket));
}

}  // namespace rollcall
