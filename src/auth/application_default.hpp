// Where Application Default Credentials are looked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "auth/wire/credential_file.hpp"
#include "google/gcloud_settings.hpp"
#include "rollcall/environment.hpp"

namespace rollcall {

/// A credential file, and why it was taken.
class FoundCredentialFile {
 public:
  FoundCredentialFile() {}
  std::string path;
  std::string named_by;  ///< "GOOGLE_APPLICATION_CREDENTIALS", "gcloud auth application-default login", …
  CredentialFile file;
  std::string quota_project_from;  ///< empty: the file
};

/// What the search found, and what it did not: "GOOGLE_APPLICATION_CREDENTIALS is not set", "there is no /keys/…".
class CredentialSearch {
 public:
  CredentialSearch() {}
  std::optional<FoundCredentialFile> found;
  std::vector<std::string> missing;
};

/// Reads the file at `path`. Errors: not_found, permission_denied and the like; those of parse_credential_file().
Result<CredentialFile> read_credential_file(const Files& files, const std::string& path);

/// Files alone; nobody is asked. Errors: as read_credential_file(), of a file that is named or there.
Result<CredentialSearch> search_credential_files(const Environment& environment, const Files& files);

/// What gcloud's settings make of its own login, which `found` is: auth/impersonate_service_account, of which the last account is acted as
/// and those before it are its delegates, and billing/quota_project where the file names none. Errors: invalid_argument.
Result<void> apply_gcloud_settings(const GcloudSettings& settings, FoundCredentialFile& found);

}  // namespace rollcall
