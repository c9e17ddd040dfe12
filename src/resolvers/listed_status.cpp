#include "resolvers/listed_status.hpp"

#include "rollcall/listed.hpp"

namespace rollcall {

asio::awaitable<Result<ClusterStatus>> listed_status(asio::awaitable<Result<ClusterStatus>> usual) {
  Result<ClusterStatus> status = co_await std::move(usual);
  if (!status) co_return status;
  for (Member& member : status->members) member.state.text = listed_text;
  co_return status;
}

}  // namespace rollcall
