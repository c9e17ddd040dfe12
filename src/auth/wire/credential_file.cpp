#include "auth/wire/credential_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "auth/wire/credential_fields.hpp"
#include "base/field_text.hpp"
#include "base/ip.hpp"
#include "base/pem_text.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr int max_nesting = 4;  // of source_credentials

std::string sts_url(const CredentialFields& fields, std::string_view path) {
  return fmt::format("https://sts.{}{}", fields.universe(), path);
}

ServiceAccountKey read_service_account(CredentialFields& fields) {
  ServiceAccountKey account;
  account.client_email = fields.required_line("client_email");
  account.key_id = fields.line("private_key_id");
  account.key = with_line_ends(fields.required("private_key"));
  account.token_url = fields.service("token_uri", "https://oauth2.googleapis.com/token");
  return account;
}

template <class User>
User read_login(CredentialFields& fields) {
  User user;
  user.client_id = fields.required_line("client_id");
  user.client_secret = fields.secret("client_secret");
  user.refresh_token = fields.secret("refresh_token");
  return user;
}

AuthorizedUser read_authorized_user(CredentialFields& fields) {
  auto user = read_login<AuthorizedUser>(fields);
  user.token_url = *Url::parse("https://oauth2.googleapis.com/token");
  return user;
}

WorkforceUser read_workforce_user(CredentialFields& fields) {
  auto user = read_login<WorkforceUser>(fields);
  user.token_url = fields.service("token_url", sts_url(fields, "/v1/oauthtoken"));
  return user;
}

SubjectTokenFormat read_format(CredentialFields& source) {
  SubjectTokenFormat format;
  const boost::json::value* value = find(source.object(), "format");
  if (!value) return format;
  if (!value->is_object()) source.refuse(Errc::invalid_argument, "format is no object");
  const std::string_view type = find_text(*value, "type").value_or("text");
  if (type == "json") {
    format.json_field = std::string(find_text(*value, "subject_token_field_name").value_or(""));
    if (format.json_field.empty()) source.refuse(Errc::invalid_argument, "format has no subject_token_field_name");
  } else if (type != "text") {
    source.refuse(Errc::invalid_argument, fmt::format("the format is {}, neither text nor json", quoted_words(type, 40)));
  }
  return format;
}

UrlSource read_url_source(CredentialFields& fields) {
  UrlSource source;
  Result<Url> url = Url::parse(fields.required("url"));
  if (!url) {
    fields.refuse(Errc::invalid_argument, "url is not a URL: " + url.error().what());
  } else {
    source.url = std::move(*url);
  }
  if (const boost::json::value* headers = find(fields.object(), "headers")) {
    if (!headers->is_object()) {
      fields.refuse(Errc::invalid_argument, "headers is no object");
      return source;
    }
    for (const auto& header : headers->get_object()) {
      const std::string_view name(header.key());
      const bool is_fine =
          header.value().is_string() && is_field_name(name) && !field_value_fault(std::string_view(header.value().get_string()));
      if (is_fine) {
        source.headers.add(name, std::string_view(header.value().get_string()));
      } else {
        fields.refuse(Errc::invalid_argument, fmt::format("the header {} cannot be sent", quoted(name, 40)));
      }
    }
  }
  source.format = read_format(fields);
  return source;
}

ExecutableSource read_executable(CredentialFields& fields) {
  ExecutableSource source;
  source.command = fields.required_line("command");
  source.timeout = fields.milliseconds("timeout_millis", std::chrono::seconds(5), std::chrono::seconds(120), std::chrono::seconds(30));
  source.output_file = fields.path("output_file");
  return source;
}

AwsSource read_aws(CredentialFields& fields, std::string_view environment_id) {
  AwsSource source;
  if (environment_id != "aws1") {
    fields.refuse(Errc::unimplemented,
                  fmt::format("the environment_id {} is not supported, only aws1 is", quoted_words(environment_id, 40)));
  }
  source.region_url = fields.machine_service("region_url");
  source.credentials_url = fields.machine_service("url");
  source.session_token_url = fields.machine_service("imdsv2_session_token_url");
  source.verification_url = fields.required_line("regional_cred_verification_url");
  return source;
}

void read_source(CredentialFields& fields, ExternalAccount& account) {
  const boost::json::value* value = find(fields.object(), "credential_source");
  if (!value || !value->is_object()) return fields.refuse(Errc::invalid_argument, "has no credential_source");
  CredentialFields source(fields.where() + ": credential_source", *value, fields.universe());
  const boost::json::value* executable = find(*value, "executable");
  if (const auto environment_id = find_text(*value, "environment_id")) {
    account.source = read_aws(source, *environment_id);
  } else if (find(*value, "certificate")) {
    source.refuse(Errc::unimplemented, "certificates as the source of an identity are not supported",
                  "use a file, a URL or an executable as the source, or a service account's key");
  } else if (executable && executable->is_object()) {
    CredentialFields inner(source.where() + ".executable", *executable, fields.universe());
    account.source = read_executable(inner);
    source.take_fault(inner.fault());
  } else if (find(*value, "file")) {
    FileSource file;
    source.required("file");
    file.path = source.path("file");
    file.format = read_format(source);
    account.source = std::move(file);
  } else if (find(*value, "url")) {
    account.source = read_url_source(source);
  } else {
    source.refuse(Errc::invalid_argument, "has none of file, url, executable and environment_id");
  }
  fields.take_fault(source.fault());
}

ExternalAccount read_external_account(CredentialFields& fields) {
  ExternalAccount account;
  account.audience = fields.required_line("audience");
  account.subject_token_type = fields.required_line("subject_token_type");
  account.token_url = fields.service("token_url", sts_url(fields, "/v1/token"));
  if (!fields.text("service_account_impersonation_url").empty())
    account.impersonation_url = fields.service("service_account_impersonation_url", "");
  if (const boost::json::value* impersonation = find(fields.object(), "service_account_impersonation")) {
    CredentialFields inner(fields.where() + ": service_account_impersonation", *impersonation, fields.universe());
    account.impersonated_lifetime =
        inner.seconds("token_lifetime_seconds", std::chrono::seconds(600), std::chrono::hours(12), std::chrono::hours(1));
    fields.take_fault(inner.fault());
  }
  account.client_id = fields.line("client_id");
  account.client_secret = Secret<std::string>(std::string(fields.line("client_secret")));
  account.workforce_user_project = fields.line("workforce_pool_user_project");
  const bool is_workforce =
      account.audience.starts_with("//iam.googleapis.com/locations/") && account.audience.find("/workforcePools/") != std::string::npos;
  if (!account.workforce_user_project.empty() && !is_workforce) {
    fields.refuse(Errc::invalid_argument, "workforce_pool_user_project is for audiences of workforce pools only");
  }
  read_source(fields, account);
  return account;
}

Result<CredentialFile> read_file(const std::string& where, const boost::json::value& root, const std::string& universe, int depth);

// The source's token is sent to this URL: it must be of the source's universe.
void check_universe(CredentialFields& fields, const ImpersonatedAccount& account) {
  const std::string& source = account.source->universe_domain;
  const bool is_sent_abroad =
      source != fields.universe() || (source != google_universe && is_host_below(account.url.host, google_universe));
  if (is_sent_abroad) {
    fields.refuse(
        Errc::refused_by_policy,
        fmt::format("source_credentials are of the universe {}, and service_account_impersonation_url is {}: no token is sent from "
                    "one universe to another",
                    printable(source, 80), account.url.origin()));
  }
}

ImpersonatedAccount read_impersonated(CredentialFields& fields, int depth) {
  ImpersonatedAccount account;
  fields.required("service_account_impersonation_url");
  if (!fields.fault()) account.url = fields.service("service_account_impersonation_url", "");
  if (const boost::json::value* delegates = find(fields.object(), "delegates")) {
    if (!delegates->is_array()) {
      fields.refuse(Errc::invalid_argument, "delegates is no list");
      return account;
    }
    for (const boost::json::value& delegate : delegates->get_array()) {
      if (!delegate.is_string()) fields.refuse(Errc::invalid_argument, "one of delegates is no text");
      if (delegate.is_string()) account.delegates.emplace_back(delegate.get_string());
    }
  }
  const boost::json::value* source = find(fields.object(), "source_credentials");
  if (!source || !source->is_object()) {
    fields.refuse(Errc::invalid_argument, "has no source_credentials");
  } else if (depth >= max_nesting) {
    fields.refuse(Errc::limit_exceeded, fmt::format("has more than {} source_credentials within each other", max_nesting));
  } else {
    Result<CredentialFile> inner = read_file(fields.where() + ": source_credentials", *source, fields.universe(), depth + 1);
    if (inner) {
      account.source = std::make_shared<const CredentialFile>(std::move(*inner));
      if (!fields.fault()) check_universe(fields, account);
    } else {
      fields.take_fault(inner.error());
    }
  }
  return account;
}

Result<CredentialFile> read_file(const std::string& where, const boost::json::value& root, const std::string& universe, int depth) {
  CredentialFile file;
  std::string domain(find_text(root, "universe_domain").value_or(""));
  const boost::json::value* source = find(root, "source_credentials");  // gcloud writes the universe only there
  if (domain.empty() && source) domain = std::string(find_text(*source, "universe_domain").value_or(""));
  file.universe_domain = domain.empty() ? universe : std::move(domain);
  CredentialFields fields(where, root, file.universe_domain);
  if (!is_universe_domain(file.universe_domain)) fields.refuse(Errc::invalid_argument, "universe_domain is not a domain");
  if (find(root, "installed") || find(root, "web"))
    fields.refuse(Errc::invalid_argument, "is of an OAuth client, which names a program, and not who signs in",
                  "sign in: gcloud auth application-default login; or make a service account's key");
  file.type = fields.required("type");
  file.project = fields.line("project_id");
  file.quota_project = fields.line("quota_project_id");
  if (fields.fault()) return *fields.fault();
  if (file.type == "service_account") {
    file.account = read_service_account(fields);
  } else if (file.type == "authorized_user") {
    file.account = read_authorized_user(fields);
  } else if (file.type == "external_account") {
    file.account = read_external_account(fields);
  } else if (file.type == "external_account_authorized_user") {
    file.account = read_workforce_user(fields);
  } else if (file.type == "impersonated_service_account") {
    file.account = read_impersonated(fields, depth);
  } else if (file.type == "gdch_service_account") {
    fields.refuse(Errc::unimplemented,
                  "credentials of the type gdch_service_account (Google Distributed Cloud, air-gapped) are not supported");
  } else {
    fields.refuse(Errc::invalid_argument,
                  fmt::format("the type {} is not known; it is one of service_account, authorized_user, external_account, "
                              "external_account_authorized_user and impersonated_service_account",
                              quoted_words(file.type, 40)));
  }
  if (fields.fault()) return *fields.fault();
  return file;
}

}  // namespace

std::string impersonated_account(const Url& url) {
  const std::string_view path(url.target);
  const std::size_t begin = path.rfind('/') + 1;
  return printable(path.substr(begin, path.find(':', begin) - begin), 200);
}

bool has_secret(const CredentialFile& file) {
  if (const auto* account = std::get_if<ExternalAccount>(&file.account)) return !account->client_secret.empty();
  if (const auto* account = std::get_if<ImpersonatedAccount>(&file.account)) return has_secret(*account->source);
  return true;
}

std::string account_of(const CredentialFile& file) {
  if (const auto* account = std::get_if<ServiceAccountKey>(&file.account)) return printable(account->client_email, 200);
  if (const auto* account = std::get_if<ImpersonatedAccount>(&file.account)) return impersonated_account(account->url);
  if (const auto* account = std::get_if<ExternalAccount>(&file.account)) {
    return account->impersonation_url ? impersonated_account(*account->impersonation_url) : printable(account->audience, 200);
  }
  if (const auto* user = std::get_if<AuthorizedUser>(&file.account)) return "a user of the client " + printable(user->client_id, 100);
  return "a user of the client " + printable(std::get<WorkforceUser>(file.account).client_id, 100);
}

Result<CredentialFile> parse_credential_file(std::string_view name, std::string_view json) {
  ParseLimits limits;
  limits.max_document = 256 * 1024;
  const Result<JsonDocument> document = JsonDocument::parse(name, without_byte_order_mark(json), limits);
  if (!document) {
    Failure failure = document.error();
    if (failure.code() == Errc::malformed_response) failure.with_code(Errc::invalid_argument).with_hint(std::string(other_form_hint(json)));
    return failure;
  }
  if (!document->root().is_object()) {
    return Failure(Errc::invalid_argument, fmt::format("{}: is {}, not an object", name, kind_name(document->root())));
  }
  return read_file(std::string(name), document->root(), std::string(google_universe), 0);
}

}  // namespace rollcall
