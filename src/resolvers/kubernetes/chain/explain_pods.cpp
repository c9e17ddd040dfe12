#include "resolvers/kubernetes/chain/explain_pods.hpp"

#include "resolvers/kubernetes/chain/chain_reader.hpp"
#include "resolvers/kubernetes/chain/rules/chain.hpp"

namespace rollcall {

asio::awaitable<Result<ExplainedStatus>> explain_pods(Call& call, const ChainSource& source, ClusterStatus status) {
  ExplainedStatus explained(std::move(status));
  ChainReader reader(call, source, explained.status);
  Result<ChainFacts> facts = co_await reader.read();
  if (!facts) co_return facts.error();
  explain(explained.status, *facts);
  explained.unread = std::move(facts->unread);
  co_return explained;
}

}  // namespace rollcall
