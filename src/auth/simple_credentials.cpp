// Tokens that need no network: given, from a file, from the environment.
#include "auth/wire/token.hpp"
#include "base/text.hpp"
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

 private:
  Secret<std::string> token_;
};

class TokenFile final : public Credentials {
 public:
  explicit TokenFile(std::string path) : path_(std::move(path)) {}
  asio::awaitable<Result<AccessToken>> token(Call& call) override {
    constexpr std::size_t max_bytes = 64 * 1024;
    Result<std::string> content = call.impl().files->read(path_, max_bytes);
    if (!content) {
      Failure failure = content.error();
      if (failure.code() == Errc::limit_exceeded) failure.with_code(Errc::invalid_argument);  // no token is that long
      failure.with_what("token file: " + failure.what());
      co_return failure;
    }
    Result<Secret<std::string>> token = parse_token_text("the token file " + printable(path_), *content);
    wipe(content->data(), content->size());
    if (!token) co_return token.error();
    co_return AccessToken(std::move(*token));
  }
  void invalidate(const AccessToken&) override {}
  std::string describe() const override { return "the token file " + printable(path_); }

 private:
  std::string path_;
};

class DefaultCredentials final : public Credentials {
 public:
  asio::awaitable<Result<AccessToken>> token(Call& call) override {
    const std::optional<Result<AccessToken>> at_hand = cached_token(call);
    if (at_hand) co_return *at_hand;
    Result<AccessToken> fetched = co_await metadata_->token(call);
    if (!fetched && fetched.error().code() != Errc::cancelled) {
      Failure failure = fetched.error();
      failure.with_what("no access token: ROLLCALL_ACCESS_TOKEN is not set, and the metadata server gave none: " + failure.what());
      const Errc code = failure.code();
      const bool is_nobody_there = code == Errc::unreachable || code == Errc::unknown_host || is_timeout(code);
      if (failure.hint().empty() || is_nobody_there)
        failure.with_hint("give a token file, or set ROLLCALL_ACCESS_TOKEN=$(gcloud auth print-access-token)");
      co_return failure;
    }
    co_return fetched;
  }
  std::optional<Result<AccessToken>> cached_token(Call& call) override {
    std::optional<std::string> variable = call.impl().environment->get(variable_name);
    if (!variable || variable->empty()) return metadata_->cached_token(call);
    Result<Secret<std::string>> token = parse_token_text(variable_name, *variable);
    wipe(variable->data(), variable->size());
    if (!token) return token.error();
    return AccessToken(std::move(*token));
  }
  void invalidate(const AccessToken& rejected) override { metadata_->invalidate(rejected); }
  std::string describe() const override { return "ROLLCALL_ACCESS_TOKEN or the metadata server"; }

 private:
  static constexpr std::string_view variable_name = "ROLLCALL_ACCESS_TOKEN";
  std::shared_ptr<Credentials> metadata_ = metadata_token();
};

}  // namespace

std::shared_ptr<Credentials> static_token(Secret<std::string> token) { return std::make_shared<StaticToken>(std::move(token)); }
std::shared_ptr<Credentials> token_file(std::string path) { return std::make_shared<TokenFile>(std::move(path)); }
std::shared_ptr<Credentials> default_credentials() { return std::make_shared<DefaultCredentials>(); }

}  // namespace rollcall
