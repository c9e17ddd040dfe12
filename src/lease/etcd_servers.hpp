// The servers of one etcd cluster: which one is asked, how it is reached, as which user, and what its refusals mean.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "call/api_client.hpp"
#include "lease/etcd_lease.hpp"
#include "lease/wire/etcd_documents.hpp"

namespace rollcall::lease {

class EtcdQuestion {
 public:
  EtcdQuestion(std::string_view where, std::string document, std::string subject)
      : path(where), body(std::move(document)), what(std::move(subject)) {}
  std::string_view path;  ///< `/v3/kv/range`
  std::string body;
  std::string what;            ///< for messages
  bool is_repeatable = false;  ///< true: may be sent to another server although one may have carried it out
  Secret<std::string> secret;  ///< that the body has
};

class EtcdServers {
 public:
  /// Errors: invalid_argument.
  static Result<std::unique_ptr<EtcdServers>> make(EtcdLeaseOptions options);
  EtcdServers(EtcdLeaseOptions options, std::vector<Url> roots);

  /// The body of the answer. One question at a time. Errors: as LeaseEngine has them.
  asio::awaitable<Result<std::string>> ask(Call& call, const EtcdQuestion& question);
  /// The next question goes to another server: this one answers, but not with sense.
  void leave_server() noexcept { current_ = (current_ + 1) % roots_.size(); }

 private:
  class Asked;
  asio::awaitable<Result<std::string>> ask_server(Call& call, const EtcdQuestion& question, std::size_t server, Duration patience);
  asio::awaitable<Result<std::string>> ask_servers(Call& call, const EtcdQuestion& question);
  asio::awaitable<Result<void>> sign_in(Call& call);

  const EtcdLeaseOptions options_;
  const std::vector<Url> roots_;
  std::size_t current_ = 0;
  AccessReader access_;
  std::optional<Secret<std::string>> token_;  // empty: the cluster has no users
};

}  // namespace rollcall::lease
