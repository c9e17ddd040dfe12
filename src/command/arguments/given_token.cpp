#include "command/arguments/given_token.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/text.hpp"
#include "command/terminal/read_once.hpp"

namespace rollcall::tools {

Result<std::shared_ptr<Credentials>> given_token(const std::string& path, Duration timeout) {
  constexpr std::size_t max_token_bytes = 64 * 1024;
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return token_file(path);
  Result<std::string> text = read_once(path, max_token_bytes, timeout);
  if (!text) return Failure(Errc::invalid_argument, fmt::format("cannot read the token from {}: {}", quoted(path), text.error().what()));
  Result<Secret<std::string>> token = parse_token_text(fmt::format("the token file {}", printable(path)), *text);
  wipe(text->data(), text->size());
  if (!token) return token.error();
  return static_token(std::move(*token));
}

}  // namespace rollcall::tools
