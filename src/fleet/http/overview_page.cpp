// /: the overview page for browsers, with a table of the followed targets.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fleet/http/cluster_summaries.hpp"
#include "fleet/http/own_answer.hpp"
#include "fleet/http/pages.hpp"
#include "fleet/page/fleet_table.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::string_view html = "text/html; charset=utf-8";

class OverviewPage final : public Page {
 public:
  OverviewPage(ServiceEntry& entry, std::shared_ptr<ClusterSummaries> summaries) : entry_(entry), summaries_(std::move(summaries)) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  asio::awaitable<void> send(ServerExchange& exchange, ClientPtr client);

  ServiceEntry& entry_;
  std::shared_ptr<ClusterSummaries> summaries_;
};

}  // namespace

// A browser opens the page before its script can send a token: without a token it gets the page without the table.
asio::awaitable<void> OverviewPage::answer(PageRequest request) {
  const bool is_anonymous = co_await entry_.admission().is_anonymous(request.exchange.request());
  ClientPtr client;
  if (!is_anonymous) {
    std::optional<Refusal> refusal;
    client = co_await entry_.admission().authenticate(request.exchange.request(), refusal);
    if (refusal) {
      co_await refuse(entry_, request.exchange, std::move(*refusal));
      co_return;
    }
    request.notes.client = client;
  }
  co_await send(request.exchange, std::move(client));
}

asio::awaitable<void> OverviewPage::send(ServerExchange& exchange, ClientPtr client) {
  if (is_head(exchange)) {
    co_await reply_head(exchange, browser_head(html));
    co_return;
  }
  const Result<bool> made = co_await summaries_->refresh();
  if (!made && made.error().code() == Errc::cancelled) co_return;  // after other failures the former lines are shown
  std::vector<FleetCluster> clusters;
  const SteadyTime present = entry_.now();
  const std::function<void(const ClusterSummaries::Line&)> add = [&clusters, present](const ClusterSummaries::Line& line) {
    clusters.push_back(line.cluster);
    clusters.back().age = age_at(line.polled_at, present);
  };
  if (client) co_await summaries_->visit(entry_.admission(), *client, add);
  std::string text = render_fleet_page(clusters, !client);
  clusters = std::vector<FleetCluster>();
  const Client anonymous;
  co_await reply_own(entry_, exchange, client ? *client : anonymous, browser_head(html), std::move(text));
}

std::unique_ptr<Page> make_overview_page(ServiceEntry& entry, std::shared_ptr<ClusterSummaries> summaries) {
  return std::make_unique<OverviewPage>(entry, std::move(summaries));
}

}  // namespace rollcall::fleet
