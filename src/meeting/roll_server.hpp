// What keeps a roll, as a task asks it: another task, or a service.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "call/api_client.hpp"
#include "fleet/client/remote_servers.hpp"
#include "meeting/member_caller.hpp"
#include "meeting/wire/meeting_documents.hpp"
#include "rollcall/call.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall::meeting {

class RollServer {
 public:
  /// The task at `place`, at its address, asked by `caller`.
  RollServer(std::shared_ptr<MemberCaller> caller, std::size_t place, std::string_view task, Endpoint at);
  /// One of the servers of a service.
  RollServer(std::shared_ptr<RemoteServers> service, std::size_t server) : service_(std::move(service)), server_(server) {}

  /// Says hello once. Errors: conflict: another process is there as that task; the message is from where; not_ready:
  /// the meeting is over, and what follows it has begun.
  asio::awaitable<Result<RollAnswer>> ask(Call& call, std::string path, const Hello& hello, Duration patience) const;

 private:
  asio::awaitable<Result<RollAnswer>> ask_task(Call& call, std::string path, const Hello& hello, Duration patience) const;
  asio::awaitable<Result<RollAnswer>> ask_service(Call& call, std::string path, const Hello& hello, Duration patience) const;

  std::shared_ptr<MemberCaller> caller_;
  MemberRequest request_;
  std::shared_ptr<RemoteServers> service_;  // null: a task
  std::size_t server_ = 0;
};

}  // namespace rollcall::meeting
