// Credential files as gcloud and the cloud console write them. Source: google.aip.dev/auth/4110 and the pages that it leads to.
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

/// What a user who has logged in once signs in with.
class UserLogin {
 public:
  UserLogin() {}
  std::string client_id;
  Secret<std::string> client_secret;
  Secret<std::string> refresh_token;
  Url token_url;
};

/// `type` authorized_user. Tokens come from oauth2.googleapis.com, whatever the file says, as google-auth has it.
class AuthorizedUser : public UserLogin {};

/// A user of a workforce pool: `type` external_account_authorized_user.
class WorkforceUser : public UserLogin {};

/// How the token of another identity provider lies in a file or an answer.
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
  // Of the instance metadata server; each may be absent where the environment tells instead.
  std::optional<Url> region_url;
  std::optional<Url> credentials_url;
  std::optional<Url> session_token_url;
  std::string verification_url;  ///< `{region}` stands for the region
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

/// A service account that other credentials may act as: `type` impersonated_service_account.
class ImpersonatedAccount {
 public:
  ImpersonatedAccount() {}
  Url url;
  std::vector<std::string> delegates;
  std::shared_ptr<const CredentialFile> source;
};

/// One credential file, whatever its kind.
class CredentialFile {
 public:
  CredentialFile() {}
  std::string type;  ///< as the file names it
  std::string project;  ///< may be empty
  std::string quota_project;  ///< may be empty
  std::string universe_domain = std::string(google_universe);
  std::variant<ServiceAccountKey, AuthorizedUser, WorkforceUser, ExternalAccount, ImpersonatedAccount> account;
};

/// Whose credentials these are, as far as the file tells: "trainer@p.iam.gserviceaccount.com". Never a secret; printable.
std::string account_of(const CredentialFile& file);

/// Whether the file itself holds a secret: a key, a refresh token, a client's secret.
bool has_secret(const CredentialFile& file);

/// The account's name in an address of IAM credentials, `…/serviceAccounts/NAME:generateAccessToken`. Printable.
std::string impersonated_account(const Url& url);

/// `name` begins the messages: "the credential file /keys/key.json"; they name the field, and quote no secret. The addresses that
/// secrets will be sent to are of googleapis.com, of the file's universe, or of this machine, over https (on this machine also http).
/// Errors: invalid_argument; unimplemented for kinds of credentials that are known, but not supported; refused_by_policy for addresses.
Result<CredentialFile> parse_credential_file(std::string_view name, std::string_view json);

}  // namespace rollcall
