// At a member's port: which requests are those of members. With a shared secret each must prove that it is known (member_proof.hpp);
// without one everything that knows the run is believed. A stranger gets 72 bytes at most, and its body is not read.
#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "meeting/member_proof.hpp"
#include "net/server/http_server.hpp"
#include "rollcall/secret.hpp"

namespace rollcall::meeting {

/// The body of each answer to a stranger. A member that is refused knows by it that it has reached one.
inline constexpr std::string_view refusal_text = "rollcall";

/// Of the numbers of one process those that were used. Requests may arrive in another order than that in which they were sent.
class UsedNumbers {
 public:
  /// False: it was used, or is 64 or more below the largest one.
  bool take(std::int64_t number);

 private:
  std::int64_t largest_ = 0;
  std::uint64_t used_ = 0;  // bit i: largest_ - i
};

class MemberGuard {
 public:
  /// `secret`: empty: none. `own`: the place of this member.
  MemberGuard(const Secret<std::string>& secret, std::size_t own);

  enum class Speaker {
    member,          ///< it was heard, and is to be answered by reply()
    greeted,         ///< it asked for the challenge, and has it
    without_secret,  ///< it has none, and was refused
    with_secret,     ///< it has one, and this member has none
    other_secret,    ///< it has another one, and was refused
    late,            ///< a request to an earlier process, a copy, or one that was not whole
  };
  /// For HttpServer::leave_bodies(): how much of a body is read, which is `max` for a member. Other requests than GET leave theirs.
  std::size_t body_bytes(const ServerRequest& head, std::size_t max) const;
  /// Reads a request to a path of this run, and answers it itself unless a member sent it.
  asio::awaitable<Speaker> hear(ServerExchange& exchange, std::string& body);
  /// The request was meant for the member at this place, as far as it says so.
  bool is_for_own(const ServerRequest& request) const;
  /// Answers a member. False: it is gone.
  asio::awaitable<bool> reply(ServerExchange& exchange, int status, std::shared_ptr<const std::string> body) const;
  asio::awaitable<bool> reply(ServerExchange& exchange, int status, std::string body) const;
  /// Answers a stranger.
  static asio::awaitable<void> refuse(ServerExchange& exchange, int status);

  const ProofKey& key() const noexcept { return key_; }
  bool has_secret() const noexcept { return !key_.empty(); }

 private:
  Speaker judge(const ServerRequest& head) const;
  bool take(const ServerRequest& request, std::string_view body);
  void draw_challenge();

  const ProofKey key_;
  const std::size_t own_;
  std::string challenge_;
  using UsedByCallers = std::map<std::string, UsedNumbers, std::less<>>;  // by incarnation
  UsedByCallers used_;
  UsedByCallers used_for_others_;
};

/// For messages about a member that was refused: `its secret is another one`. Empty: it was not.
std::string_view refusal_reason(MemberGuard::Speaker speaker) noexcept;

}  // namespace rollcall::meeting
