// How a server of our own settings is reached: by PEM files with its authorities and with the certificate that is shown to it.
#pragma once

#include <memory>
#include <string>

#include "rollcall/http_message.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

class AccessFiles {
 public:
  AccessFiles() {}
  std::string authorities;   ///< empty: the Runtime's trust anchors
  std::string certificate;   ///< empty: none is shown
  std::string key;           ///< empty: the key is in `certificate`
};

/// Reads the files when they are needed, so that they may be renewed.
class AccessReader {
 public:
  /// `owner`: whose files they are, for messages: "the lease".
  AccessReader(AccessFiles files, std::string owner) : files_(std::move(files)), owner_(std::move(owner)) {}
  /// Null: there are no files. The same access as before while the files have not changed, so that connections are used again. Errors: as
  /// Files::read().
  Result<std::shared_ptr<const ServerAccess>> read(Runtime::Impl& runtime);

 private:
  const AccessFiles files_;
  const std::string owner_;
  std::shared_ptr<const ServerAccess> latest_;
};

/// A file of the settings, of at most 1 MiB. `what` begins the message of a failure.
Result<std::string> read_settings_file(Runtime::Impl& runtime, const std::string& path, std::string_view what);

}  // namespace rollcall
