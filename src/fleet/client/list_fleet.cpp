#include "rollcall/fleet_list.hpp"

#include "call/call_scope.hpp"
#include "fleet/client/remote_servers.hpp"
#include "fleet/wire/cluster_summary.hpp"

namespace rollcall {
namespace {

template <class List>
using ListParser = Result<List> (*)(std::string_view json, const ParseLimits& limits);

template <class List>
asio::awaitable<Result<List>> list_from(Call& call, std::shared_ptr<RemoteServers> servers, std::string_view path, ListParser<List> parse) {
  Failure last;
  for (std::size_t asked = 0; asked < servers->count(); ++asked) {
    const std::size_t server = servers->current();
    ServerAnswer answer = co_await servers->ask_path(call, server, path);
    if (answer.sent == SentState::document) {
      Result<List> list = parse(answer.body, served_limits(impl_of(call)));
      if (list) {
        servers->note_answer(call, server);
        co_return list;
      }
      answer.failure = list.error();
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

template <class List>
asio::awaitable<Result<List>> try_list(Runtime runtime, CallOptions options, std::string_view path, ListParser<List> parse) {
  const std::shared_ptr<Runtime::Impl> impl = shared_impl_of(runtime);
  const Result<std::shared_ptr<RemoteServers>> servers = RemoteServers::needed(*impl);
  if (!servers) co_return servers.error();
  const auto script = [known = *servers, path, parse](Call& call) { return list_from<List>(call, known, path, parse); };
  co_return co_await run_call<List>(impl, std::move(options), CallSubject("fleet"), script);
}

}  // namespace

asio::awaitable<Result<std::vector<FleetCluster>>> try_list_fleet(Runtime runtime, CallOptions options) {
  return try_list<std::vector<FleetCluster>>(std::move(runtime), std::move(options), "/v1/clusters", fleet::parse_cluster_list);
}

asio::awaitable<Result<FleetReplicas>> try_list_replicas(Runtime runtime, CallOptions options) {
  return try_list<FleetReplicas>(std::move(runtime), std::move(options), "/v1/replicas", fleet::parse_replicas);
}

}  // namespace rollcall
