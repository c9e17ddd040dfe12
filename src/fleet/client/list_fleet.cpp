#include "rollcall/fleet_list.hpp"

#include "call/call_scope.hpp"
#include "fleet/client/remote_servers.hpp"
#include "fleet/wire/cluster_summary.hpp"

namespace rollcall {
namespace {

using ListedClusters = Result<std::vector<FleetCluster>>;

asio::awaitable<ListedClusters> list_from(Call& call, std::shared_ptr<RemoteServers> servers) {
  Failure last;
  for (std::size_t asked = 0; asked < servers->count(); ++asked) {
    const std::size_t server = servers->current();
    ServerAnswer answer = co_await servers->ask_list(call, server);
    if (answer.sent == SentState::document) {
      ListedClusters clusters = fleet::parse_cluster_list(answer.body, served_limits(impl_of(call)));
      if (clusters) {
        servers->note_answer(call, server);
        co_return clusters;
      }
      answer.failure = clusters.error();
    } else if (answer.sent == SentState::refusal || answer.sent == SentState::failure) {
      co_return answer.failure;
    }
    last = answer.failure;
    servers->note_failure(call, server, last);
  }
  if (servers->count() == 1 && last.code() == Errc::malformed_response) co_return last;
  Failure failure = servers->lost("the fleet", last);
  failure.with_hint("look after the servers");
  co_return failure;
}

}  // namespace

asio::awaitable<ListedClusters> try_list_fleet(Runtime runtime, CallOptions options) {
  const std::shared_ptr<Runtime::Impl> impl = shared_impl_of(runtime);
  const Result<std::shared_ptr<RemoteServers>> servers = RemoteServers::of(*impl);
  if (!servers) co_return servers.error();
  if (!*servers) {
    co_return Failure(Errc::failed_precondition, "no service is named that could be asked")
        .with_hint("set ROLLCALL_SERVER, as rollcall serve prints it");
  }
  const auto script = [known = *servers](Call& call) { return list_from(call, known); };
  co_return co_await run_call<std::vector<FleetCluster>>(impl, std::move(options), CallSubject("fleet"), script);
}

}  // namespace rollcall
