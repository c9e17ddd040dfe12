// Whether secrets are still in memory that is given back. What is watched is freed by operator delete, or by OpenSSL: all that the library
// has of its own. Nothing is watched with sanitizers, which bring an operator delete of their own.
#pragma once

#include <string>
#include <string_view>

namespace rollcall::testing {

/// Whether anything is watched in this build.
bool can_watch_secrets() noexcept;

/// From now on `secret` must not be left behind: no eight bytes of it that follow one another. `name` is what it is called.
void watch_secret(std::string_view name, std::string_view secret);

/// What was left behind while this lived.
class SecretWatch {
 public:
  SecretWatch();
  ~SecretWatch();
  SecretWatch(const SecretWatch&) = delete;
  SecretWatch& operator=(const SecretWatch&) = delete;
  /// A line for each: the secret's name, who freed it, the block's size. Ends the watch.
  std::string findings();
};

}  // namespace rollcall::testing
