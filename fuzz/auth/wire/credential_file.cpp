// Credential files: secrets are sent only to Google, to the file's universe or to this machine; fields that are sent are valid; no message
// quotes a secret.
#include "auth/wire/credential_file.hpp"

#include "auth/wire/canary.hpp"
#include "base/field_text.hpp"
#include "base/ip.hpp"
#include "base/text.hpp"

namespace {

using namespace rollcall;

bool is_below(std::string_view host, std::string_view domain) {
  return equals_ignoring_case(host, domain) ||
         (host.size() > domain.size() && equals_ignoring_case(host.substr(host.size() - domain.size() - 1), "." + std::string(domain)));
}

bool is_this_machine(std::string_view host) { return is_localhost(host) || is_loopback_literal(host); }

void require_service(const Url& url, const CredentialFile& file) {
  if (is_this_machine(url.host)) return;
  require(url.is_https && (is_below(url.host, "googleapis.com") || is_below(url.host, file.universe_domain)));
}

void require_machine(const std::optional<Url>& url) {
  if (url) require(url->host == "169.254.169.254" || url->host == "fd00:ec2::254" || is_this_machine(url->host));
}

void require_line(std::string_view text) { require(!field_value_fault(text)); }

void require_good(const CredentialFile& file);

class Demands {
 public:
  explicit Demands(const CredentialFile& file) : file_(file) {}
  void operator()(const ServiceAccountKey& account) const {
    require(!account.client_email.empty() && !account.key.empty());
    require_service(account.token_url, file_);
  }
  void operator()(const AuthorizedUser& user) const {
    require(!user.client_id.empty() && !user.client_secret.empty() && !user.refresh_token.empty());
    require(user.token_url.origin() == "https://oauth2.googleapis.com");
  }
  void operator()(const WorkforceUser& user) const {
    require_line(user.client_id);
    require_line(user.client_secret.reveal());
    require_service(user.token_url, file_);
  }
  void operator()(const ExternalAccount& account) const {
    require_line(account.audience);
    require_line(account.client_id);
    require_service(account.token_url, file_);
    if (account.impersonation_url) require_service(*account.impersonation_url, file_);
    require(account.impersonated_lifetime >= std::chrono::minutes(10) && account.impersonated_lifetime <= std::chrono::hours(12));
    if (const auto* url = std::get_if<UrlSource>(&account.source)) {
      url->headers.each([](std::string_view name, std::string_view value) { require(is_field_name(name) && !field_value_fault(value)); });
    } else if (const auto* aws = std::get_if<AwsSource>(&account.source)) {
      require_machine(aws->region_url);
      require_machine(aws->credentials_url);
      require_machine(aws->session_token_url);
    } else if (const auto* program = std::get_if<ExecutableSource>(&account.source)) {
      require_line(program->command);
      require(program->timeout >= std::chrono::seconds(5) && program->timeout <= std::chrono::seconds(120));
    }
  }
  void operator()(const ImpersonatedAccount& account) const {
    require_service(account.url, file_);
    require(account.source != nullptr);
    require_good(*account.source);
    require(account.source->universe_domain == file_.universe_domain);
  }

 private:
  const CredentialFile& file_;
};

void require_good(const CredentialFile& file) {
  require_line(file.quota_project);
  require_line(file.project);
  require_printable(account_of(file));
  std::visit(Demands(file), file.account);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<CredentialFile> file = parse_credential_file("the credential file /keys/key.json", text);
  require_sane(file);
  if (file) require_good(*file);
  require_hidden(text, {"private_key", "client_secret", "refresh_token", "Authorization"},
                 [](std::string_view marked) { return parse_credential_file("the credential file /keys/key.json", marked); });
  return 0;
}
