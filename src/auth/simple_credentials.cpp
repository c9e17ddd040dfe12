// Tokens that need no request: given, from a file, from the environment.
#include "auth/wire/token.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "call/file_reading.hpp"
#include "call/runtime_impl.hpp"
#include "rollcall/call.hpp"
#include "rollcall/credentials.hpp"

namespace rollcall {
namespace {

class StaticToken final : public Credentials {
 public:
  explicit StaticToken(Secret<std::string> token) : token_(std::move(token)) {}
  asio::awaitable<Result<AccessToken>> token(Call& call) override { co_return *cached_token(call); }
  std::optional<Result<AccessToken>> cached_token(Call&) override {
    if (token_.empty()) return Failure(Errc::unauthenticated, "the access token is empty");
    return AccessToken(token_);
  }
  void invalidate(const AccessToken&) override {}
  std::string describe() const override { return "a given token"; }
  Result<CredentialFacts::Pointer> facts(const Environment&, const Files&) override { return facts_; }

 private:
  Secret<std::string> token_;
  const CredentialFacts::Pointer facts_ = std::make_shared<const CredentialFacts>("a given token");
};

class TokenFile final : public Credentials {
 public:
  explicit TokenFile(std::string path) : path_(std::move(path)) {
    CredentialFacts facts("access token");
    facts.path = path_;
    facts_ = std::make_shared<const CredentialFacts>(std::move(facts));
  }
  asio::awaitable<Result<AccessToken>> token(Call& call) override {
    constexpr std::size_t max_bytes = 64 * 1024;
    Result<std::string> content = co_await read_token_file(call, path_, max_bytes);
    if (!content) {
      Failure failure = content.error();
      if (failure.code() == Errc::limit_exceeded) failure.with_code(Errc::invalid_argument);  // no token is that long
      failure.with_what("token file: " + failure.what());
      co_return failure;
    }
    warn_of_open_file(call, path_);
    Result<Secret<std::string>> token = parse_token_text("the token file " + path_text(path_), *content);
    wipe(content->data(), content->size());
    if (!token) co_return token.error();
    co_return AccessToken(std::move(*token));
  }
  void invalidate(const AccessToken&) override {}
  std::string describe() const override { return "the token file " + path_text(path_); }
  Result<CredentialFacts::Pointer> facts(const Environment&, const Files&) override { return facts_; }

 private:
  std::string path_;
  CredentialFacts::Pointer facts_;
};

class DefaultCredentials final : public Credentials {
 public:
  DefaultCredentials() {
    CredentialFacts facts("access token");
    facts.named_by = std::string("in ") + variable_name;
    given_facts_ = std::make_shared<const CredentialFacts>(std::move(facts));
  }
  asio::awaitable<Result<AccessToken>> token(Call& call) override {
    const std::optional<Result<AccessToken>> given = token_of_variable(call);
    if (given) co_return *given;
    co_return co_await defaults_->token(call);
  }
  std::optional<Result<AccessToken>> cached_token(Call& call) override {
    std::optional<Result<AccessToken>> given = token_of_variable(call);
    return given ? std::move(given) : defaults_->cached_token(call);
  }
  Result<void> authorize(HttpRequest& request, const AccessToken& token, const TimeSource& time) const override {
    return is_given_ ? Credentials::authorize(request, token, time) : defaults_->authorize(request, token, time);
  }
  void invalidate(const AccessToken& rejected) override { defaults_->invalidate(rejected); }
  std::string describe() const override { return is_given_ ? variable_name : defaults_->describe(); }
  Result<CredentialFacts::Pointer> facts(const Environment& environment, const Files& files) override {
    const Secret<std::string> token(environment.get(variable_name).value_or(""));
    if (token.empty()) return defaults_->facts(environment, files);
    return given_facts_;
  }

 private:
  static constexpr const char* variable_name = "ROLLCALL_ACCESS_TOKEN";

  std::optional<Result<AccessToken>> token_of_variable(Call& call) {
    std::optional<std::string> variable = impl_of(call).environment->get(variable_name);
    is_given_ = variable && !variable->empty();
    if (!is_given_) return std::nullopt;
    Result<Secret<std::string>> token = parse_token_text(variable_name, *variable);
    wipe(variable->data(), variable->size());
    if (!token) return token.error();
    return AccessToken(std::move(*token));
  }

  bool is_given_ = false;  // describes the variable's state at the last use
  std::shared_ptr<Credentials> defaults_ = application_default();
  CredentialFacts::Pointer given_facts_;  // of the variable's token
};

}  // namespace

Result<void> Credentials::authorize(HttpRequest& request, const AccessToken& token, const TimeSource&) const {
  request.bearer = token.value;
  return {};
}

Result<CredentialFacts::Pointer> Credentials::facts(const Environment&, const Files&) {
  return std::make_shared<const CredentialFacts>(describe());
}

std::shared_ptr<Credentials> static_token(Secret<std::string> token) { return std::make_shared<StaticToken>(std::move(token)); }
std::shared_ptr<Credentials> token_file(std::string path) { return std::make_shared<TokenFile>(std::move(path)); }
std::shared_ptr<Credentials> default_credentials() { return std::make_shared<DefaultCredentials>(); }

}  // namespace rollcall
