// Finds secrets in memory when it is freed. Watches the memory that the library or OpenSSL frees, by operator delete or OpenSSL's free
// function. Watches nothing with sanitizers, which replace operator delete themselves.
#pragma once

#include <string>
#include <string_view>

namespace rollcall::testing {

/// True if this build can watch memory.
bool can_watch_secrets() noexcept;

/// From now on freed memory must not contain any eight consecutive bytes of `secret`. `name` is for messages.
void watch_secret(std::string_view name, std::string_view secret);

/// Collects the secrets found during its lifetime.
class SecretWatch {
 public:
  SecretWatch();
  ~SecretWatch();
  SecretWatch(const SecretWatch&) = delete;
  SecretWatch& operator=(const SecretWatch&) = delete;
  /// A line for each finding: the secret's name, the function that freed it, the block's size. Ends the watch.
  std::string findings();
};

}  // namespace rollcall::testing
