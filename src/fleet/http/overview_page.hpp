// /: the overview page for browsers, with a table of the followed targets.
#pragma once

#include <memory>

#include "fleet/http/cluster_summaries.hpp"
#include "fleet/http/page.hpp"

namespace rollcall::fleet {

class OverviewPage final : public Page {
 public:
  OverviewPage(ServiceEntry& entry, std::shared_ptr<ClusterSummaries> summaries) : entry_(entry), summaries_(std::move(summaries)) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  asio::awaitable<void> send(ServerExchange& exchange, ClientPtr client);

  ServiceEntry& entry_;
  std::shared_ptr<ClusterSummaries> summaries_;
};

}  // namespace rollcall::fleet
