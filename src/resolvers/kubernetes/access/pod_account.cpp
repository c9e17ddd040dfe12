#include "resolvers/kubernetes/access/pod_account.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/kubernetes/access/disables_http2.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

Failure no_own_cluster(std::string what) {
  return Failure(Errc::failed_precondition, "no configuration of a pod: " + std::move(what))
      .with_hint(
          "this is not a pod, or its service account is not mounted (automountServiceAccountToken); elsewhere use a kubeconfig, or "
          "api_server");
}

Result<std::string> read_account_file(const Files& files, std::string_view name) {
  const std::string path = std::string(PodAccount::folder).append(name);
  constexpr std::size_t max_bytes = 1 << 20;
  Result<std::string> content = files.read(path, max_bytes);
  if (!content) return no_own_cluster(content.error().what()).with_target(path);
  if (trim(*content).empty()) return no_own_cluster("the file is empty").with_target(path);
  return content;
}

Result<void> PodAccount::read(const Environment& environment, const Files& files) {
  const std::string source = fmt::format("the token file {}token", folder);
  Result<std::string> text = read_account_file(files, "token");
  Result<Secret<std::string>> token = text ? parse_token_text(source, *text) : Result<Secret<std::string>>(text.error());
  if (text) wipe(text->data(), text->size());
  if (token) {
    token_ = std::move(*token);
  } else if (token_.empty()) {
    return token.error();
  }
  Result<std::string> authorities = read_account_file(files, "ca.crt");
  if (!authorities && !access_) return authorities.error();
  const bool only_http1 = disables_http2(environment);
  if (authorities && (!access_ || access_->authorities != *authorities || access_->only_http1 != only_http1)) {
    auto access = std::make_shared<ServerAccess>();
    access->authorities = std::move(*authorities);
    access->only_http1 = only_http1;
    access->authorities_from = fmt::format("the CA file {}ca.crt", folder);
    access_ = std::move(access);
  }
  return {};
}

asio::awaitable<Result<AccessToken>> PodAccount::token(Call& call) { co_return *cached_token(call); }

std::optional<Result<AccessToken>> PodAccount::cached_token(Call& call) {
  const Runtime::Impl& impl = impl_of(call);
  if (const Result<void> fine = read(*impl.environment, *impl.files); !fine) return fine.error();
  AccessToken token(token_);
  token.access = access_;
  return token;
}

void PodAccount::invalidate(const AccessToken& rejected) {
  if (token_ == rejected.value) token_.clear();
}

std::string PodAccount::describe() const { return fmt::format("the token file {}token", folder); }

}  // namespace rollcall
