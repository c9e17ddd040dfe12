// /v1/topology/TYPE: the shape of an accelerator, for the drawings of the overview page.
#include <utility>

#include "fleet/http/pages.hpp"
#include "fleet/http/replies.hpp"
#include "render/render_topology.hpp"

namespace rollcall::fleet {
namespace {

class TopologyPage final : public Page {
 public:
  explicit TopologyPage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  ServiceEntry& entry_;
};

}  // namespace

asio::awaitable<void> TopologyPage::answer(PageRequest request) {
  const Result<AcceleratorType> known = AcceleratorType::parse(request.rest);
  if (!known) {
    Refusal refusal(known.error().code() == Errc::not_found ? 404 : 400, known.error());
    co_await refuse(entry_, request.exchange, std::move(refusal));
    co_return;
  }
  HttpResponse response = browser_head("application/json");
  response.body = render_topology_json(TpuLayout(*known));
  co_await request.exchange.reply(response);
}

std::unique_ptr<Page> make_topology_page(ServiceEntry& entry) { return std::make_unique<TopologyPage>(entry); }

}  // namespace rollcall::fleet
