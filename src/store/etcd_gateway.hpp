// The servers of one etcd cluster: which one is asked, how it is reached, as whom, and what its refusals mean.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "call/api_client.hpp"
#include "call/single_flight.hpp"
#include "rollcall/http_message.hpp"
#include "store/etcd_store.hpp"
#include "store/wire/etcd_documents.hpp"

namespace rollcall::store {

class EtcdQuestion {
 public:
  EtcdQuestion(std::string_view where, std::string document, std::string subject)
      : path(where), body(std::move(document)), what(std::move(subject)) {}
  std::string_view path;  ///< `/v3/kv/range`
  std::string body;
  std::string what;  ///< for messages
  bool is_repeatable = false;  ///< true: may be sent to another server although one may have carried it out
  Secret<std::string> secret;  ///< that the body has
  BodySink* sink = nullptr;  ///< gets the answer, which is a stream; null: the answer is taken whole
};

class EtcdGateway : public std::enable_shared_from_this<EtcdGateway> {
 public:
  /// Errors: invalid_argument.
  static Result<std::shared_ptr<EtcdGateway>> make(EtcdStoreOptions options);
  EtcdGateway(EtcdStoreOptions options, std::vector<Url> roots) : options_(std::move(options)), roots_(std::move(roots)) {}

  /// The body of the answer; empty for a stream, when it has ended. Errors: as Store has them; not_found: what etcd does not find.
  asio::awaitable<Result<std::string>> ask(Call& call, EtcdQuestion question);

  /// Whoever parses an answer says whose it is. Errors: unavailable: another cluster's than the answers before it.
  Result<void> note(const EtcdHeader& header);
  /// The next question goes to another server: the present one answers, but not sensibly.
  void leave_server() noexcept { current_ = (current_ + 1) % roots_.size(); }

 private:
  class Asked;
  asio::awaitable<Result<std::string>> ask_server(Call& call, const EtcdQuestion& question, std::size_t server, Duration patience);
  asio::awaitable<Result<std::string>> ask_servers(Call& call, const EtcdQuestion& question);
  asio::awaitable<Result<void>> sign_in(Call& call);
  asio::awaitable<Result<Secret<std::string>>> renew_token(Call& call);
  asio::awaitable<Result<Secret<std::string>>> ask_token(Call& call);
  Result<std::shared_ptr<const ServerAccess>> access(Runtime::Impl& impl);
  bool has_user() const noexcept { return !options_.user.empty(); }

  const EtcdStoreOptions options_;
  const std::vector<Url> roots_;
  std::size_t current_ = 0;
  std::shared_ptr<const ServerAccess> access_;
  SingleFlight<Secret<std::string>> signing_in_;
  std::optional<Secret<std::string>> token_;  // empty: the cluster asks nobody who he is
  std::string cluster_;
};

/// `what`: what was asked, and of whom.
Failure failure_of(const EtcdRefusal& refusal, std::string_view what, int status);

}  // namespace rollcall::store
