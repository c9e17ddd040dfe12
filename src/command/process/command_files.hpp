// The file system as the command sees it: pipes can be read, and a secret that others can read is not taken without a word.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "rollcall/credentials.hpp"
#include "rollcall/secret.hpp"
#include "rollcall/surroundings.hpp"
#include "rollcall/time.hpp"

namespace rollcall::tools {

/// Reads a pipe to its end when it is asked for first, for at most `timeout`, and remembers what was in it. `is_secret` tells of a path
/// whether its content is; `warn` is told, once for each, of those that are open to others.
class CommandFiles final : public Files {
 public:
  CommandFiles(Duration timeout, std::function<bool(const std::string&)> is_secret, std::function<void(const std::string&)> warn);
  Result<std::string> read(const std::string& path, std::size_t max_bytes) const override;
  std::optional<bool> is_open_to_others(const std::string& path) const override;

 private:
  const std::shared_ptr<const Files> files_;
  const Duration timeout_;
  const std::function<bool(const std::string&)> is_secret_;
  const std::function<void(const std::string&)> warn_;
  mutable std::map<std::string, Secret<std::string>, std::less<>> read_;
  mutable std::set<std::string, std::less<>> warned_;
};

/// The token of --token-file. A regular file is read at every use. What can be read only once, such as a pipe, is read now, to its end, and
/// for at most `timeout`. Errors: invalid_argument.
Result<std::shared_ptr<Credentials>> given_token(const std::string& path, Duration timeout);

}  // namespace rollcall::tools
