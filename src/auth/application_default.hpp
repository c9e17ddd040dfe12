// The search for Application Default Credentials.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "auth/wire/credential_file.hpp"
#include "google/gcloud_settings.hpp"
#include "rollcall/environment.hpp"

namespace rollcall {

/// A credential file, and how it was found.
class FoundCredentialFile {
 public:
  FoundCredentialFile() {}
  std::string path;
  std::string named_by;  ///< "GOOGLE_APPLICATION_CREDENTIALS", "gcloud auth application-default login", …
  CredentialFile file;
  std::string quota_project_from;  ///< empty: the file
};

/// The result of the search, and the places without credentials: "GOOGLE_APPLICATION_CREDENTIALS is not set", "there is no /keys/…".
class CredentialSearch {
 public:
  CredentialSearch() {}
  std::optional<FoundCredentialFile> found;
  std::vector<std::string> missing;
};

/// Reads the file at `path`. Errors: not_found, permission_denied and the like; those of parse_credential_file().
Result<CredentialFile> read_credential_file(const Files& files, const std::string& path);

/// Files only, no requests. Errors: as read_credential_file(), for a file that is configured or exists.
Result<CredentialSearch> search_credential_files(const Environment& environment, const Files& files);

/// Applies gcloud's settings to its own login, which `found` is: auth/impersonate_service_account, whose last account is impersonated and
/// whose earlier ones are its delegates, and billing/quota_project if the file names none. Errors: invalid_argument.
Result<void> apply_gcloud_settings(const GcloudSettings& settings, FoundCredentialFile& found);

}  // namespace rollcall
