// Credentials of kubeconfig users that need no program.
#include <fmt/format.h>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "base/wiped_buffer.hpp"
#include "resolvers/kubernetes/kubernetes_server.hpp"
#include "resolvers/kubernetes/wire/kubeconfig.hpp"

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

std::shared_ptr<Credentials> user_login(const KubeUser& user) { return std::make_shared<BasicLogin>(user); }

}  // namespace rollcall
