#include "net/dns/system_resolver.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace rollcall {

ResolverOptions system_resolver_options() {
  constexpr std::size_t max_bytes = 64 * 1024;
  std::string text(max_bytes, '\0');
  std::size_t size = 0;
  const int file = ::open("/etc/resolv.conf", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0) {
    for (ssize_t count = 1; count > 0 && size < text.size();) {
      count = ::read(file, text.data() + size, text.size() - size);
      if (count > 0) size += static_cast<std::size_t>(count);
    }
    ::close(file);
  }
  ResolverOptions options = parse_resolver_options(std::string_view(text).substr(0, size));
  if (const char* const more = std::getenv("RES_OPTIONS")) options.take(more);
  return options;
}

}  // namespace rollcall
