#include "auth/application_default.hpp"

#include <fmt/format.h>

#include "auth/credential_kinds.hpp"
#include "auth/subject_token.hpp"
#include "auth/unused_identities.hpp"
#include "base/field_text.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "call/file_reading.hpp"
#include "call/rules/classify_status.hpp"
#include "call/runtime_impl.hpp"
#include "call/token_rules.hpp"
#include "google/gcloud_config.hpp"
#include "google/gcloud_settings.hpp"
#include "google/metadata_client.hpp"
#include "google/wire/resource_id.hpp"
#include "rollcall/call.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_credential_file = 256 * 1024;
constexpr const char* file_variable = "GOOGLE_APPLICATION_CREDENTIALS";

// Credentials that are read from files at the first use, and again after they were rejected or none were found: the user may have logged in
// again meanwhile.
class LoadedCredentials : public Credentials {
 public:
  asio::awaitable<Result<AccessToken>> token(Call& call) override {
    const auto load_them = [this, &impl = impl_of(call)] { return load(*impl.environment, *impl.files); };
    const Result<void> loaded = co_await read_when_there(call, load_them);
    if (!loaded) co_return point_to_doctor(loaded.error());
    if (holds_secret_) warn_of_open_file(call, facts_->path);
    warn_of_unused(call);
    if (!facts_->path.empty()) warn_of_other_writers(call, facts_->path);
    const std::shared_ptr<Credentials> asked = loaded_;
    Result<AccessToken> token = co_await asked->token(call);
    if (token) co_return token;
    Failure failure = explained(*asked, token.error());
    if (loaded_ == asked && is_searched_again(token.error())) loaded_.reset();
    co_return failure;
  }
  std::optional<Result<AccessToken>> cached_token(Call& call) override { return loaded_ ? loaded_->cached_token(call) : std::nullopt; }
  Result<void> authorize(HttpRequest& request, const AccessToken& token, const TimeSource& time) const override {
    if (!loaded_) return Credentials::authorize(request, token, time);
    const std::string& universe = facts_->universe_domain;
    if (!universe.empty() && universe != google_universe && is_google_host(request.url.host)) {
      return Failure(Errc::refused_by_policy,
                     fmt::format("the credentials are of the universe {}: their token is not sent to googleapis.com", universe))
          .with_target(request.url.without_query())
          .with_hint("name the universe's own endpoint");
    }
    if (!facts_->quota_project.empty()) request.headers.set("x-goog-user-project", facts_->quota_project);
    return loaded_->authorize(request, token, time);
  }
  void invalidate(const AccessToken& rejected) override {
    if (loaded_) loaded_->invalidate(rejected);
  }
  Result<CredentialFacts::Pointer> facts(const Environment& environment, const Files& files) override {
    const Result<void> loaded = load(environment, files);
    if (!loaded) return loaded.error();
    return facts_;
  }

 protected:
  /// Selects the credentials to use.
  virtual Result<void> find(const Environment& environment, const Files& files) = 0;
  /// Called when `asked` provided no token. Other callers may have got this failure before, and other credentials may be in use since.
  virtual Failure explained(const Credentials& /*asked*/, Failure failure) const { return failure; }
  virtual bool is_searched_again(const Failure& failure) const { return failure.code() == Errc::unauthenticated; }

  const std::shared_ptr<Credentials>& loaded() const noexcept { return loaded_; }
  void use(std::shared_ptr<Credentials> credentials, CredentialFacts facts) {
    loaded_ = std::move(credentials);
    facts_ = std::make_shared<const CredentialFacts>(std::move(facts));
    holds_secret_ = false;
  }
  Result<void> use(const std::string& path, CredentialFile file, const Environment& environment, std::string named_by = {},
                   const std::string& quota_project_from = {}) {
    const std::optional<std::string> own = environment.get("GOOGLE_CLOUD_QUOTA_PROJECT");
    const bool has_own = own && !own->empty();
    std::string quota_project = has_own ? *own : file.quota_project;
    if (field_value_fault(quota_project)) {
      return Failure(Errc::invalid_argument,
                     fmt::format("the quota project of {} cannot be sent", has_own ? "GOOGLE_CLOUD_QUOTA_PROJECT" : path_text(path)));
    }
    CredentialFacts facts(file.type);
    facts.account = account_of(file);
    facts.path = path;
    facts.named_by = std::move(named_by);
    facts.project = file.project;
    if (!quota_project.empty())
      facts.quota_project_from = has_own                      ? "GOOGLE_CLOUD_QUOTA_PROJECT"
                                 : quota_project_from.empty() ? "the credential file"
                                                              : quota_project_from;
    facts.quota_project = std::move(quota_project);
    facts.universe_domain = file.universe_domain;
    const bool holds_secret = has_secret(file);
    use(credentials_of(std::move(file)), std::move(facts));
    holds_secret_ = holds_secret;
    return {};
  }

 private:
  // Credentials that were found by searching: variables may configure others.
  void warn_of_unused(Call& call) const {
    const CredentialFacts& facts = *facts_;
    const bool is_named = !facts.is_from_metadata && (facts.named_by.empty() || facts.named_by.find(file_variable) != std::string::npos);
    if (is_named) return;
    const std::vector<std::string> unused = unused_google_variables(*impl_of(call).environment, facts.path);
    if (unused.empty()) return;
    impl_of(call).warn_once(call.id(), "identity of Google",
                            unused_identity_text(unused, facts.path.empty() ? std::string("the metadata server") : path_text(facts.path)));
  }
  Result<void> load(const Environment& environment, const Files& files) { return loaded_ ? Result<void>() : find(environment, files); }

  std::shared_ptr<Credentials> loaded_;
  CredentialFacts::Pointer facts_;  // never null while `loaded_` is set
  bool holds_secret_ = false;  // the file at facts_->path
};

class CredentialsInFile final : public LoadedCredentials {
 public:
  explicit CredentialsInFile(std::string path) : path_(std::move(path)) {}
  std::string describe() const override { return "the credential file " + path_text(path_); }

 protected:
  Result<void> find(const Environment& environment, const Files& files) override {
    Result<CredentialFile> file = read_credential_file(files, path_);
    if (!file) return file.error();
    return use(path_, std::move(*file), environment);
  }

 private:
  const std::string path_;
};

class ApplicationDefault final : public LoadedCredentials {
 public:
  std::string describe() const override { return loaded() ? loaded()->describe() : "application default credentials"; }

 protected:
  Result<void> find(const Environment& environment, const Files& files) override {
    Result<CredentialSearch> search = search_credential_files(environment, files);
    if (!search) return search.error();
    missing_ = std::move(search->missing);
    if (search->found) {
      FoundCredentialFile found = std::move(*search->found);
      return use(found.path, std::move(found.file), environment, std::move(found.named_by), found.quota_project_from);
    }
    const Result<CredentialFacts::Pointer> facts = metadata_->facts(environment, files);
    if (!facts) return facts.error();
    CredentialFacts own = **facts;
    own.missing = missing_;
    use(metadata_, std::move(own));
    return {};
  }

  Failure explained(const Credentials& asked, Failure failure) const override {
    if (&asked != metadata_.get() || failure.code() == Errc::cancelled) return failure;
    failure.with_what(fmt::format("no access token: {}, and the metadata server gave none: {}", fmt::join(missing_, ", "), failure.what()));
    const Errc code = failure.code();
    const bool is_absent_server =
        code == Errc::unreachable || code == Errc::unknown_host || code == Errc::failed_precondition || is_timeout(code);
    if (failure.hint().empty() || (is_absent_server && !is_misdirected(failure))) {
      failure.with_hint(
          "log in: gcloud auth application-default login; or name a credential file in GOOGLE_APPLICATION_CREDENTIALS, give a token file, "
          "or set ROLLCALL_ACCESS_TOKEN=$(gcloud auth print-access-token)");
    }
    return point_to_doctor(std::move(failure));
  }

  // The files are searched again, since one may have been created.
  bool is_searched_again(const Failure& failure) const override {
    return loaded() == metadata_ || LoadedCredentials::is_searched_again(failure);
  }

 private:
  const std::shared_ptr<Credentials> metadata_ = metadata_token();
  std::vector<std::string> missing_ = {"ROLLCALL_ACCESS_TOKEN is not set"};
};

}  // namespace

Result<CredentialFile> read_credential_file(const Files& files, const std::string& path) {
  const std::string name = "the credential file " + path_text(path);
  Result<std::string> text = files.read(path, max_credential_file);
  if (!text) {
    Failure failure = text.error();
    failure.with_what(fmt::format("{}: {}", name, failure.what()));
    return failure;
  }
  Result<CredentialFile> file = parse_credential_file(name, *text);
  wipe(text->data(), text->size());
  if (!file) return Failure(file.error()).with_target(path_text(path));
  return file;
}

namespace {

// For a path of which there is no file: what is written there that a shell would have taken away. Empty: nothing.
std::string unread_path_hint(std::string_view path) {
  const char first = path.front();
  if (first == '~') return "only a shell replaces ~, and not between quotes: write the whole path";
  if (first == '"' || first == '\'') return "the quotes are part of the value: write the path without them";
  if (first == '$') return "no shell has replaced the variable in it: write the whole path";
  return trim(path).size() < path.size() ? "the value has blanks or a line end around the path" : "";
}

}  // namespace

Result<CredentialSearch> search_credential_files(const Environment& environment, const Files& files) {
  CredentialSearch search;
  const auto find_from = [&](std::string path, std::string named_by) -> Result<bool> {
    Result<CredentialFile> file = read_credential_file(files, path);
    if (!file) {
      Failure failure = file.error();
      failure.with_what(fmt::format("{} ({})", failure.what(), named_by));
      return failure;
    }
    FoundCredentialFile found;
    found.path = std::move(path);
    found.named_by = std::move(named_by);
    found.file = std::move(*file);
    search.found = std::move(found);
    return true;
  };
  search.missing.push_back("ROLLCALL_ACCESS_TOKEN is not set");
  const Result<std::string> named = path_variable(environment, file_variable);
  if (!named) return named.error();
  if (!named->empty()) {
    const Result<bool> found = find_from(*named, std::string("named by ") + file_variable);
    if (found) return search;
    Failure failure = found.error();
    if (failure.code() == Errc::not_found) failure.with_hint(unread_path_hint(*named));
    return failure;
  }
  search.missing.push_back(std::string(file_variable) + " is not set");
  const Result<std::string> named_folder = gcloud_folder(environment);
  if (!named_folder) return named_folder.error();
  const std::string& folder = *named_folder;
  if (folder.empty()) {
    search.missing.push_back("neither CLOUDSDK_CONFIG nor HOME is set");
    return search;
  }
  const std::string well_known = folder + "/application_default_credentials.json";
  Result<bool> found = find_from(well_known, "from gcloud auth application-default login");
  if (!found && found.error().code() != Errc::not_found) return found.error();
  if (found) return search;
  search.missing.push_back("there is no " + path_text(well_known));
  const Result<GcloudConfig> config = read_gcloud_config(environment, files);
  if (!config) return config.error();
  if (config->account.empty()) return search;
  const std::string login = fmt::format("{}/legacy_credentials/{}/adc.json", folder, config->account);
  found = find_from(login, std::string(gcloud_login));
  if (!found && found.error().code() != Errc::not_found) return found.error();
  if (!found) search.missing.push_back("there is no " + path_text(login));
  if (search.found) {
    const Result<void> applied = apply_gcloud_settings(GcloudSettings(environment, files), *search.found);
    if (!applied) return applied.error();
  }
  return search;
}

std::shared_ptr<Credentials> credentials_of(CredentialFile file) {
  if (auto* account = std::get_if<ServiceAccountKey>(&file.account)) {
    return service_account_credentials(std::move(*account), file.universe_domain);
  }
  if (auto* user = std::get_if<AuthorizedUser>(&file.account)) return authorized_user_credentials(std::move(*user));
  if (auto* user = std::get_if<WorkforceUser>(&file.account)) return workforce_user_credentials(std::move(*user));
  if (auto* account = std::get_if<ExternalAccount>(&file.account)) return external_account_credentials(std::move(*account));
  return impersonated_credentials(std::move(std::get<ImpersonatedAccount>(file.account)));
}

std::shared_ptr<Credentials> credential_file(std::string path) { return std::make_shared<CredentialsInFile>(std::move(path)); }
std::shared_ptr<Credentials> application_default() { return std::make_shared<ApplicationDefault>(); }

}  // namespace rollcall
