// The servers that one Runtime uses instead of the clouds: their URLs, which of them answers, and the outcome of each question.
#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "call/api_client.hpp"
#include "fleet/client/direct_polls.hpp"
#include "fleet/client/rules/server_loss.hpp"
#include "fleet/wire/fleet_question.hpp"
#include "fleet/wire/position.hpp"
#include "json/limits.hpp"
#include "rollcall/call.hpp"
#include "rollcall/credentials.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/server_options.hpp"

namespace rollcall {

/// The options from the environment, used if the Runtime's options are empty: ROLLCALL_SERVER and related variables; no URLs: no servers.
/// Errors: invalid_argument, naming the variable.
Result<ServerOptions> server_options_of(const Environment& environment);

/// `https://host[:port][/path]`, or `http:` of this machine. Errors: invalid_argument, refused_by_policy (`http:` of another machine).
Result<Url> parse_server_root(std::string_view text);

/// The limits for reading a server's bodies, which may be as large as a service makes them.
ParseLimits served_limits(const Runtime::Impl& impl);

/// What a server's answer means to its client.
enum class SentState {
  document,   ///< the answer
  unchanged,  ///< the document that the client knows is still current
  failure,    ///< the failure of the question, as the service sent it
  patience,   ///< the same, and another try may succeed
  refusal,    ///< the server knows the client and refuses, or policy forbids to send the request: there is no other way
  silence,    ///< no server with this protocol answered
};

class ServerAnswer {
 public:
  ServerAnswer() {}
  SentState sent = SentState::silence;
  std::string body;  ///< of a document
  Failure failure;   ///< for the last four states
  std::optional<Duration> age;
  std::optional<Duration> retry_after;
  bool is_unauthenticated = false;  ///< a refusal of the token
};

class RemoteServers {
 public:
  /// Of the Runtime; null: it has none. Errors: invalid_argument, from its options or its environment.
  static Result<std::shared_ptr<RemoteServers>> of(Runtime::Impl& impl);
  /// The same for a question that only they can answer. Errors, besides: failed_precondition: there are none.
  static Result<std::shared_ptr<RemoteServers>> needed(Runtime::Impl& impl);

  RemoteServers(ServerOptions options, std::vector<Url> roots, std::size_t first);

  const ServerOptions& options() const noexcept { return options_; }
  ServerLoss& loss() noexcept { return loss_; }
  DirectPolls& direct_polls() noexcept { return direct_polls_; }
  /// The server to ask now.
  std::size_t current() const noexcept { return current_; }
  std::size_t count() const noexcept { return roots_.size(); }
  /// The names of all servers, for messages.
  std::string names() const;

  /// One attempt of a request to a server, without other effects. `refused` gets the content of answers other than 2xx, and must outlive
  /// the request. Errors: of the authorities' file.
  Result<ApiRequest> request(Call& call, std::size_t server, const fleet::FleetQuestion& question, ServerAnswer& refused) const;
  /// The same for any path.
  Result<ApiRequest> request_of_path(Call& call, std::size_t server, std::string_view path, ServerAnswer& refused) const;
  /// Asks a server once for the body at that path.
  asio::awaitable<ServerAnswer> ask_path(Call& call, std::size_t server, std::string_view path);
  /// Reads the token file for each request; null: no token is sent.
  const std::shared_ptr<Credentials>& credentials() const noexcept { return credentials_; }
  /// The outcome of a request that failed; `refused` as request() filled it in.
  static ServerAnswer judge(const Failure& failure, ServerAnswer refused);

  /// Asks a server once (twice if the token was refused and its file has another one) for the body of an answer. `known`: the version that
  /// the caller has already.
  asio::awaitable<ServerAnswer> ask(Call& call, std::size_t server, fleet::FleetQuestion question,
                                    std::optional<fleet::Position> known = {});

  /// The server gave a valid answer.
  void note_answer(const Call& call, std::size_t server);
  /// The server did not; the next one is used from now on.
  void note_failure(const Call& call, std::size_t server, const Failure& failure);
  /// The server sends its clients to another one.
  void note_move(const Call& call, std::size_t server);
  /// The failure of a question about `who` when no server answers; `last`: the failure of the last server.
  Failure lost(const std::string& who, const Failure& last) const;

 private:
  void leave(const Call& call, std::size_t server, const Failure* failure);

  ServerOptions options_;
  std::vector<Url> roots_;
  std::shared_ptr<Credentials> credentials_;  // null: no token is sent
  std::size_t current_;
  std::optional<std::size_t> chosen_;  // the server in the last event server_chosen
  ServerLoss loss_;
  DirectPolls direct_polls_;
};

}  // namespace rollcall
