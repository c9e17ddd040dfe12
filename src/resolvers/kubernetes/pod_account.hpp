// The service account of a pod: its token and the authorities of its cluster, in files that are exchanged while the program runs
// [facts: k8s-service-account].
#pragma once

#include <memory>
#include <string>

#include "rollcall/credentials.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

/// Both files are read at every use: the kubelet renews the token when four fifths of its life are over, and exchanges a CA in the same
/// way. What was read last serves while a file cannot be read, as client-go has it, but not after it was refused.
class PodAccount final : public Credentials {
 public:
  static constexpr std::string_view folder = "/var/run/secrets/kubernetes.io/serviceaccount/";

  /// Errors: failed_precondition, when a file cannot be used and nothing was read before.
  Result<void> read(const Files& files);
  /// Of the last read().
  const std::shared_ptr<const ServerAccess>& access() const noexcept { return access_; }

  asio::awaitable<Result<AccessToken>> token(Call& call) override;
  std::optional<Result<AccessToken>> cached_token(Call& call) override;
  void invalidate(const AccessToken& rejected) override;
  std::string describe() const override;

 private:
  Secret<std::string> token_;
  std::shared_ptr<const ServerAccess> access_;
};

/// A file of the account. Errors: failed_precondition, also when it is empty.
Result<std::string> read_account_file(const Files& files, std::string_view name);
/// What is missing of a pod's configuration.
Failure no_own_cluster(std::string what);

}  // namespace rollcall
