// The servers of one Runtime that are asked instead of the clouds: which they are, which one answers, and what one question comes to.
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

/// What the environment says, where the Runtime's options say nothing: ROLLCALL_SERVER and the like; no URLs: no servers. Errors:
/// invalid_argument, naming the variable.
Result<ServerOptions> server_options_of(const Environment& environment);

/// `https://host[:port][/path]`, or `http:` of this machine. Errors: invalid_argument, refused_by_policy (`http:` of another machine).
Result<Url> parse_server_root(std::string_view text);

/// By which a server's bodies are read: they may be as large as the service makes them.
ParseLimits served_limits(const Runtime::Impl& impl);

/// What a server's answer is to who asked.
enum class SentState {
  document,   ///< the answer
  unchanged,  ///< what is known is still so
  failure,    ///< the question's own failure, as the service tells it
  patience,   ///< the same, and asking again may mend it
  refusal,    ///< the server knows the asker and refuses, or nothing may be sent: no other way leads round that
  silence,    ///< no server that speaks the protocol answered
};

class ServerAnswer {
 public:
  ServerAnswer() {}
  SentState sent = SentState::silence;
  std::string body;  ///< of a document
  Failure failure;   ///< of the last four
  std::optional<Duration> age;
  std::optional<Duration> retry_after;
  bool is_unauthenticated = false;  ///< a refusal of the token
};

class RemoteServers {
 public:
  /// Of the Runtime; null: it has none. Errors: invalid_argument, from its options or its environment.
  static Result<std::shared_ptr<RemoteServers>> of(Runtime::Impl& impl);

  RemoteServers(ServerOptions options, std::vector<Url> roots, std::size_t first);

  const ServerOptions& options() const noexcept { return options_; }
  ServerLoss& loss() noexcept { return loss_; }
  DirectPolls& direct_polls() noexcept { return direct_polls_; }
  /// The one to ask now.
  std::size_t current() const noexcept { return current_; }
  std::size_t count() const noexcept { return roots_.size(); }
  /// All of them, in words.
  std::string names() const;

  /// A request to one of them, one attempt, that brings nothing but its answer. `refused` gets what answers but 2xx say, and must outlive
  /// the request. Errors: of the authorities' file.
  Result<ApiRequest> request(Call& call, std::size_t server, const fleet::FleetQuestion& question, ServerAnswer& refused) const;
  /// The same of the list of clusters.
  asio::awaitable<ServerAnswer> ask_list(Call& call, std::size_t server);
  /// What reads the token file for each request; null: no token is sent.
  const std::shared_ptr<Credentials>& credentials() const noexcept { return credentials_; }
  /// What a request that ended so came to; `refused` as request() filled it in.
  static ServerAnswer judge(const Failure& failure, ServerAnswer refused);

  /// Asks one of them once (twice, where the token was refused and its file has another), for the body of an answer. `known`: what the
  /// caller has already.
  asio::awaitable<ServerAnswer> ask(Call& call, std::size_t server, fleet::FleetQuestion question,
                                    std::optional<fleet::Position> known = {});

  /// That server answered sensibly.
  void note_answer(const Call& call, std::size_t server);
  /// It did not; the next one is asked from now on.
  void note_failure(const Call& call, std::size_t server, const Failure& failure);
  /// It sends its clients elsewhere.
  void note_move(const Call& call, std::size_t server);
  /// That none of them answers, as a failure of the question about `who`; `last`: of the last one.
  Failure lost(const std::string& who, const Failure& last) const;

 private:
  Result<ApiRequest> request_of_path(Call& call, std::size_t server, std::string_view path, ServerAnswer& refused) const;
  void leave(const Call& call, std::size_t server, const Failure* failure);

  ServerOptions options_;
  std::vector<Url> roots_;
  std::shared_ptr<Credentials> credentials_;  // null: no token is sent
  std::size_t current_;
  std::optional<std::size_t> chosen_;  // told as server_chosen
  ServerLoss loss_;
  DirectPolls direct_polls_;
};

}  // namespace rollcall
