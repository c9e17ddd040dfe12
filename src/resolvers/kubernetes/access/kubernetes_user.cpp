// Credentials of kubeconfig users that need no program.
#include <fmt/format.h>

#include "base/base64.hpp"
#include "base/field_text.hpp"
#include "base/saturating.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "base/wiped_buffer.hpp"
#include "call/rules/token_end.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"
#include "resolvers/kubernetes/access/wire/kubeconfig.hpp"

namespace rollcall {
namespace {

std::string words_for(std::string_view what, const KubeUser& user) {
  return fmt::format("the {} of user {} ({})", what, quoted(user.name, 80), user.where);
}

class OwnToken final : public Credentials {
 public:
  OwnToken(Secret<std::string> token, std::string from) : token_(std::move(token)), from_(std::move(from)) {}
  asio::awaitable<Result<AccessToken>> token(Call&) override { co_return AccessToken(token_); }
  std::optional<Result<AccessToken>> cached_token(Call&) override { return AccessToken(token_); }
  void invalidate(const AccessToken&) override {}
  std::string describe() const override { return from_; }

 private:
  const Secret<std::string> token_;
  const std::string from_;
};

// As client-go: the file comes before the token, which serves while the file cannot be read or has no token in it.
class FileOrToken final : public Credentials {
 public:
  FileOrToken(const KubeUser& user, Secret<std::string> token)
      : file_(token_file(user.token_file)), token_(std::move(token)), from_(words_for("token", user)) {}
  asio::awaitable<Result<AccessToken>> token(Call& call) override {
    Result<AccessToken> of_file = co_await file_->token(call);
    is_of_file_ = of_file.has_value();
    if (of_file.has_value() || of_file.error().code() == Errc::cancelled) co_return of_file;
    co_return AccessToken(token_);
  }
  void invalidate(const AccessToken& rejected) override { file_->invalidate(rejected); }
  std::string describe() const override { return is_of_file_ ? file_->describe() : from_; }

 private:
  const std::shared_ptr<Credentials> file_;
  const Secret<std::string> token_;
  const std::string from_;
  bool is_of_file_ = true;  // at the last use
};

// kubectl and its like write it into the kubeconfig, and kubectl refreshes it there: it is never refreshed here. [facts:
// k8s-auth-providers]
class IdToken final : public Credentials {
 public:
  explicit IdToken(const KubeUser& user)
      : token_(std::string(trim(user.id_token.reveal()))), end_(token_end(token_.reveal())), from_(words_for("id-token", user)),
        advice_(advice(user)) {}
  asio::awaitable<Result<AccessToken>> token(Call& call) override { co_return *cached_token(call); }
  std::optional<Result<AccessToken>> cached_token(Call& call) override {
    const WallTime now = impl_of(call).time->wall_now();
    std::string fault;
    if (token_.empty()) {
      fault = "is missing";
    } else if (!end_ || !is_graphic(token_.reveal())) {
      fault = "is no JSON Web Token with an end (exp)";
    } else if (*end_ <= saturating_sum(now, margin)) {
      fault = fmt::format("ended on {} ({} ago)", format_rfc3339(*end_), coarse_duration_text(saturating_difference(now, *end_)));
      if (*end_ > now) fault = fmt::format("ends on {}", format_rfc3339(*end_));
    }
    if (!fault.empty()) return Failure(Errc::unauthenticated, fmt::format("{} {}", from_, fault)).with_hint(advice_);
    AccessToken token(token_);
    token.expires_at = end_;
    return token;
  }
  void invalidate(const AccessToken&) override {}
  std::string describe() const override { return from_; }

 private:
  static constexpr Duration margin = std::chrono::seconds(10);  // as client-go

  static std::string advice(const KubeUser& user) {
    const std::string_view refresh =
        user.can_be_refreshed ? "any kubectl command refreshes it in the file; or let" : "log in as the provider wants it; or let";
    return fmt::format("{} an exec plugin do it: kubectl oidc-login setup --oidc-issuer-url={} --oidc-client-id={} (kubelogin)", refresh,
                       user.issuer.empty() ? "URL" : printable(without_secrets(user.issuer), 200),
                       user.client_id.empty() ? "ID" : printable(user.client_id, 100));
  }

  const Secret<std::string> token_;
  const std::optional<WallTime> end_;
  const std::string from_;
  const std::string advice_;
};

class BasicLogin final : public Credentials {
 public:
  explicit BasicLogin(const KubeUser& user)
      : encoded_(basic_credentials(user.username, user.password.reveal())), from_(words_for("username and password", user)) {}
  asio::awaitable<Result<AccessToken>> token(Call& call) override { co_return *cached_token(call); }
  std::optional<Result<AccessToken>> cached_token(Call&) override { return AccessToken(encoded_); }
  Result<void> authorize(HttpRequest& request, const AccessToken& token, const TimeSource&) const override {
    request.headers.set("Authorization", joined_secret({"Basic ", token.value.reveal()}).reveal());
    return {};
  }
  void invalidate(const AccessToken&) override {}
  std::string describe() const override { return from_; }

 private:
  const Secret<std::string> encoded_;
  const std::string from_;
};

}  // namespace

std::shared_ptr<Credentials> user_token(const KubeUser& user, Secret<std::string> token) {
  return std::make_shared<OwnToken>(std::move(token), words_for("token", user));
}

std::shared_ptr<Credentials> user_token_file(const KubeUser& user, Secret<std::string> token) {
  return std::make_shared<FileOrToken>(user, std::move(token));
}

std::shared_ptr<Credentials> user_id_token(const KubeUser& user) { return std::make_shared<IdToken>(user); }

std::shared_ptr<Credentials> user_login(const KubeUser& user) { return std::make_shared<BasicLogin>(user); }

}  // namespace rollcall
