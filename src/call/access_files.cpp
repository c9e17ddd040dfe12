#include "call/access_files.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall {

Result<std::string> read_settings_file(Runtime::Impl& runtime, const std::string& path, std::string_view what) {
  constexpr std::size_t max_bytes = 1 << 20;
  Result<std::string> read = runtime.files->read(path, max_bytes);
  if (read) return read;
  Failure failure = read.error();
  failure.with_what(fmt::format("{} cannot be read: {}", what, failure.what()));
  return failure;
}

Result<std::shared_ptr<const ServerAccess>> AccessReader::read(Runtime::Impl& runtime) {
  if (files_.authorities.empty() && files_.certificate.empty()) return std::shared_ptr<const ServerAccess>();
  ServerAccess now;
  if (!files_.authorities.empty()) {
    Result<std::string> authorities = read_settings_file(runtime, files_.authorities, "the authorities for " + owner_);
    if (!authorities) return authorities.error();
    now.authorities = std::move(*authorities);
    now.authorities_from = "the CA file " + path_text(files_.authorities);
  }
  if (!files_.certificate.empty()) {
    Result<std::string> certificate = read_settings_file(runtime, files_.certificate, "the certificate for " + owner_);
    if (!certificate) return certificate.error();
    const bool has_key_file = !files_.key.empty();
    Result<std::string> key = has_key_file ? read_settings_file(runtime, files_.key, "the key for " + owner_) : certificate;
    if (!key) return key.error();
    now.certificate = std::move(*certificate);
    now.key = Secret<std::string>(std::move(*key));
    now.identity_from = quoted_path(files_.certificate);
    if (has_key_file) now.identity_from += fmt::format(" with the key {}", quoted_path(files_.key));
  }
  if (!latest_ || *latest_ != now) latest_ = std::make_shared<const ServerAccess>(std::move(now));
  return latest_;
}

}  // namespace rollcall
