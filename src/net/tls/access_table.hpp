// The TLS contexts of one Dialer: one for all servers that are reached alike, and one for each ServerAccess. Objects of the same
// content are one here, so that a resolver that reads its configuration anew for each call keeps its connections.
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

  /// The same for equal contents, for as long as it is in use; 0 for none. No number is ever given twice.
  std::uint64_t number(const Pointer& access);
  /// Made at first use: plain connections do without OpenSSL's start-up time. Errors: as TlsContext::create.
  Result<std::shared_ptr<TlsContext>> context(const Pointer& access);

 private:
  struct Entry {
    Pointer access;
    std::uint64_t number = 0;
    std::uint64_t used = 0;
    std::shared_ptr<TlsContext> context;
  };
  static constexpr std::size_t max_entries = 64;

  Entry& entry(const Pointer& access);

  TlsFiles files_;
  std::vector<Entry> entries_;
  std::uint64_t last_number_ = 0;
  std::uint64_t uses_ = 0;
  std::shared_ptr<TlsContext> common_;
};

}  // namespace rollcall
