#include "meeting/shared_secret.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/path_text.hpp"
#include "call/file_reading.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall::meeting {
namespace {

constexpr std::string_view secret_variable = "ROLLCALL_SECRET_FILE";
constexpr std::size_t max_secret_file = 64 * 1024;

Result<void> check_secret(const std::string& path, std::string_view secret) {
  if (secret.size() < min_secret_bytes)
    return Failure(Errc::invalid_argument, fmt::format("the first line of {} has {} bytes, and the secret of a meeting at least {}",
                                                       quoted_path(path, 200), secret.size(), min_secret_bytes))
        .with_hint("make one, the same for all members, by: openssl rand -hex 32");
  if (secret.find('\0') == std::string_view::npos) return {};
  return Failure(Errc::invalid_argument, fmt::format("the first line of {} has a byte of zero", quoted_path(path, 200)));
}

}  // namespace

asio::awaitable<Result<Secret<std::string>>> read_shared_secret(Call& call, std::string path) {
  if (path.empty()) path = impl_of(call).environment->get(secret_variable).value_or("");
  if (path.empty()) co_return Secret<std::string>();
  Result<std::string> text = co_await read_file(call, path, max_secret_file);
  if (!text) co_return Failure(text.error()).with_hint("name a file with the secret by --secret-file or ROLLCALL_SECRET_FILE");
  warn_of_open_file(call, path);
  std::size_t end = std::min(text->find('\n'), text->size());
  if (end > 0 && (*text)[end - 1] == '\r') --end;
  Secret<std::string> secret(text->substr(0, end));
  wipe(text->data(), text->size());
  const Result<void> fine = check_secret(path, secret.reveal());
  if (!fine) co_return fine.error();
  co_return secret;
}

}  // namespace rollcall::meeting
