// Whether a program can listen on a port of this host, and else which process does.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "base/host_folders.hpp"
#include "base/text.hpp"
#include "preflight/host/look_at_host.hpp"

namespace rollcall {
namespace {

// As servers do: a connection that has ended does not hinder it. Returns errno.
int try_to_listen(int family, const sockaddr* address, socklen_t size) {
  const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return errno;
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const int off = 0;
  if (family == AF_INET6) ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  const int error = ::bind(socket, address, size) != 0 || ::listen(socket, 1) != 0 ? errno : 0;
  ::close(socket);
  return error;
}

}  // namespace

PortLook look_at_port(const Files& files, const std::string& root, std::uint16_t port) {
  PortLook look;
  look.port = port;
  sockaddr_in6 all{};
  all.sin6_family = AF_INET6;
  all.sin6_port = htons(port);
  look.error = try_to_listen(AF_INET6, reinterpret_cast<const sockaddr*>(&all), sizeof all);
  if (look.error == EAFNOSUPPORT || look.error == EADDRNOTAVAIL) {
    sockaddr_in all4{};
    all4.sin_family = AF_INET;
    all4.sin_port = htons(port);
    look.error = try_to_listen(AF_INET, reinterpret_cast<const sockaddr*>(&all4), sizeof all4);
  }
  if (look.error != EADDRINUSE) return look;
  const HostFolders folders(files, root);
  std::set<std::string> sockets;
  for (const char* const table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    for (const std::uint64_t inode : parse_listening_inodes(folders.text(table, HostFolders::max_table_bytes).value_or(""), port))
      sockets.insert("socket:[" + std::to_string(inode) + "]");
  }
  look.holder = process_with(folders, sockets);
  return look;
}

}  // namespace rollcall
