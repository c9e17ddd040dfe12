// /v1/replicas: which replica of the service leads, for clients that may read the metrics.
#include <string>
#include <utility>

#include "fleet/http/own_answer.hpp"
#include "fleet/http/pages.hpp"
#include "fleet/replica_desk.hpp"
#include "render/render_fleet.hpp"

namespace rollcall::fleet {
namespace {

class ReplicasPage final : public Page {
 public:
  explicit ReplicasPage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  ServiceEntry& entry_;
};

}  // namespace

// Other clients get what a service without replicas says: names and addresses of machines are for its operators.
asio::awaitable<void> ReplicasPage::answer(PageRequest request) {
  FleetReplicas replicas;
  const ReplicaDesk* const desk = entry_.fleet().replica_desk();
  if (desk && entry_.admission().may_read_metrics(*request.client)) replicas = desk->replicas();
  std::string text = render_fleet_replicas(replicas);
  co_await reply_own(entry_, request.exchange, *request.client, browser_head("application/json"), std::move(text));
}

std::unique_ptr<Page> make_replicas_page(ServiceEntry& entry) { return std::make_unique<ReplicasPage>(entry); }

}  // namespace rollcall::fleet
