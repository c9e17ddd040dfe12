// The TLS contexts of one Dialer: one for all servers with the default settings, and one for each ServerAccess. Objects with the same
// content share a context, so that a resolver that reads its configuration at each call keeps its connections. The files of NetworkOptions
// are checked for each new connection, and read again when they have changed: certificates are renewed while programs run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "net/tls/tls_context.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

class AccessTable {
 public:
  using Pointer = std::shared_ptr<const ServerAccess>;

  explicit AccessTable(TlsFiles files) : files_(std::move(files)) {}

  /// The same for equal contents, while it is in use; 0 for none. No number is ever reused.
  std::uint64_t number(const Pointer& access);
  /// Created at first use: plain connections avoid OpenSSL's start-up time. Created again when the files have changed; while they cannot be
  /// read, the previous one is used. Errors: as TlsContext::create.
  Result<std::shared_ptr<TlsContext>> context(const Pointer& access);

 private:
  struct Made {
    std::shared_ptr<TlsContext> context;
    std::string stamp;  // of the files that it was created from
  };
  struct Entry {
    Pointer access;
    std::uint64_t number = 0;
    std::uint64_t used = 0;
    Made made;
  };
  static constexpr std::size_t max_entries = 64;

  Entry& entry(const Pointer& access);

  TlsFiles files_;
  std::vector<Entry> entries_;
  std::uint64_t last_number_ = 0;
  std::uint64_t uses_ = 0;
  Made common_;
};

}  // namespace rollcall
