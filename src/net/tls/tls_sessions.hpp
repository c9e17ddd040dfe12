// TLS sessions to resume, the latest few per origin.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace rollcall {

struct SslSessionDeleter {
  void operator()(SSL_SESSION* session) const noexcept { SSL_SESSION_free(session); }
};
using SslSessionPtr = std::unique_ptr<SSL_SESSION, SslSessionDeleter>;

class TlsSessions {
 public:
  static constexpr std::size_t max_origins = 1024;
  static constexpr std::size_t max_per_origin = 8;

  void put(std::string_view origin, SslSessionPtr session);
  /// The latest session of the origin, or null. Tickets are meant for one use each (RFC 8446 C.4), so it is removed, but the last one is
  /// kept: using it twice is better than a full handshake.
  SslSessionPtr take(std::string_view origin);

 private:
  struct Entry {
    std::deque<SslSessionPtr> sessions;
    std::uint64_t used = 0;
  };
  std::map<std::string, Entry, std::less<>> origins_;
  std::uint64_t uses_ = 0;
};

}  // namespace rollcall
