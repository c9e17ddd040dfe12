// Credential files as gcloud and the cloud console write them. Source: google.aip.dev/auth/4110 and the pages that it links to.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "google/wire/resource_id.hpp"
#include "rollcall/error.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/secret.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// A service account's key: `type` service_account.
class ServiceAccountKey {
 public:
  ServiceAccountKey() {}
  std::string client_email;
  std::string key_id;             ///< may be empty
  Secret<std::string> key;        ///< PEM
  Url token_url;
};

/// The sign-in data of a user who has logged in.
class UserLogin {
 public:
  UserLogin() {}
  std::string client_id;
  Secret<std::string> client_secret;
  Secret<std::string> refresh_token;
  Url token_url;
};

/// `type` authorized_user. Tokens come from oauth2.googleapis.com, independent of the file, as in google-auth.
class AuthorizedUser : public UserLogin {};

/// A user of a workforce pool: `type` external_account_authorized_user.
class WorkforceUser : public UserLogin {};

/// The format of another identity provider's token in a file or an answer.
class SubjectTokenFormat {
 public:
  SubjectTokenFormat() {}
  std::string json_field;  ///< empty: the whole text
};

class FileSource {
 public:
  FileSource() {}
  std::string path;
  SubjectTokenFormat format;
};

class UrlSource {
 public:
  UrlSource() {}
  Url url;
  HeaderList headers;
  SubjectTokenFormat format;
};

class ExecutableSource {
 public:
  ExecutableSource() {}
  std::string command;
  Duration timeout = std::chrono::seconds(30);
  std::string output_file;  ///< may be empty
};

class AwsSource {
 public:
  AwsSource() {}
  // Of the instance metadata server; each may be absent if the environment provides the value instead.
  std::optional<Url> region_url;
  std::optional<Url> credentials_url;
  std::optional<Url> session_token_url;
  std::string verification_url;  ///< `{region}` is replaced by the region
};

/// An identity of another provider that is exchanged for a token: `type` external_account.
class ExternalAccount {
 public:
  ExternalAccount() {}
  std::string audience;
  std::string subject_token_type;
  Url token_url;
  std::optional<Url> impersonation_url;
  Duration impersonated_lifetime = std::chrono::hours(1);
  std::string client_id;  ///< may be empty
  Secret<std::string> client_secret;  ///< may be empty
  std::string workforce_user_project;  ///< may be empty
  std::variant<FileSource, UrlSource, ExecutableSource, AwsSource> source;
};

class CredentialFile;

/// A service account that other credentials impersonate: `type` impersonated_service_account.
class ImpersonatedAccount {
 public:
  ImpersonatedAccount() {}
  Url url;
  std::vector<std::string> delegates;
  std::shared_ptr<const CredentialFile> source;
};

/// One credential file of any kind.
class CredentialFile {
 public:
  CredentialFile() {}
  std::string type;  ///< in the file's spelling
  std::string project;  ///< may be empty
  std::string quota_project;  ///< may be empty
  std::string universe_domain = std::string(google_universe);
  std::variant<ServiceAccountKey, AuthorizedUser, WorkforceUser, ExternalAccount, ImpersonatedAccount> account;
};

/// The account of these credentials, if the file contains it: "trainer@p.iam.gserviceaccount.com". Never a secret; printable.
std::string account_of(const CredentialFile& file);

/// True if the file itself contains a secret: a key, a refresh token, a client's secret.
bool has_secret(const CredentialFile& file);

/// The account's name in a URL of IAM credentials, `…/serviceAccounts/NAME:generateAccessToken`. Printable.
std::string impersonated_account(const Url& url);

/// `name` begins the messages: "the credential file /keys/key.json"; they name the field, and quote no secret. The URLs that secrets will
/// be sent to are of googleapis.com, of the file's universe, or of this machine, over https (on this machine also http). Errors:
/// invalid_argument; unimplemented for kinds of credentials that are known, but not supported; refused_by_policy for URLs.
Result<CredentialFile> parse_credential_file(std::string_view name, std::string_view json);

}  // namespace rollcall
