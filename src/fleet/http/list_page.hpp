// /v1/clusters: a line for each followed target that the client may read, as one body or as a stream.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fleet/http/body.hpp"
#include "fleet/http/cluster_summaries.hpp"
#include "fleet/http/list_streams.hpp"
#include "fleet/http/page.hpp"

namespace rollcall::fleet {

class ListPage final : public Page {
 public:
  ListPage(ServiceEntry& entry, std::shared_ptr<ClusterSummaries> summaries)
      : entry_(entry), summaries_(summaries), streams_(entry, std::move(summaries)) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  asio::awaitable<void> send(ServerExchange& exchange, ClientPtr client);
  asio::awaitable<std::optional<Body>> list_for(ClientPtr client);

  ServiceEntry& entry_;
  std::shared_ptr<ClusterSummaries> summaries_;
  std::map<std::string, std::pair<std::uint64_t, Body>> lists_;  // by identity; with the rights_version() of each
  std::uint64_t lists_of_ = 0;                                   // ClusterSummaries::rounds() of lists_
  std::size_t list_bytes_ = 0;                                   // size of the list that was rendered last
  ListStreams streams_;
};

}  // namespace rollcall::fleet
