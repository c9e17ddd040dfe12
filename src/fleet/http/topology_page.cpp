#include "fleet/http/topology_page.hpp"

#include <utility>

#include "fleet/http/replies.hpp"
#include "render/render_topology.hpp"

namespace rollcall::fleet {

asio::awaitable<void> TopologyPage::answer(PageRequest request) {
  const Result<AcceleratorType> known = AcceleratorType::parse(request.rest);
  if (!known) {
    Refusal refusal(404, known.error());
    co_await refuse(entry_, request.exchange, std::move(refusal));
    co_return;
  }
  HttpResponse response = browser_head("application/json");
  response.body = render_topology_json(TpuLayout(*known));
  co_await request.exchange.reply(response);
}

}  // namespace rollcall::fleet
