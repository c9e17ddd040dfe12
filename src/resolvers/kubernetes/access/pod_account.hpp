// The service account of a pod: its token and the CA of its cluster, in files that the kubelet replaces while the program runs
// [facts: k8s-service-account].
#pragma once

#include <memory>
#include <string>

#include "rollcall/credentials.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

/// Both files are read at every use: the kubelet replaces the token after four fifths of its life, and the CA in the same way. As in
/// client-go, the last content serves while a file cannot be read, but not after the server refused it.
class PodAccount final : public Credentials {
 public:
  static constexpr std::string_view folder = "/var/run/secrets/kubernetes.io/serviceaccount/";

  /// Errors: failed_precondition, if a file cannot be used and nothing was read before.
  Result<void> read(const Environment& environment, const Files& files);
  /// As of the last read().
  const std::shared_ptr<const ServerAccess>& access() const noexcept { return access_; }

  asio::awaitable<Result<AccessToken>> token(Call& call) override;
  std::optional<Result<AccessToken>> cached_token(Call& call) override;
  void invalidate(const AccessToken& rejected) override;
  std::string describe() const override;

 private:
  Secret<std::string> token_;
  std::shared_ptr<const ServerAccess> access_;
};

/// A file of the account. Errors: failed_precondition, also if it is empty.
Result<std::string> read_account_file(const Files& files, std::string_view name);
/// The failure for an incomplete configuration of a pod.
Failure no_own_cluster(std::string what);

}  // namespace rollcall
