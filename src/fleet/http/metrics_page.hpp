// /metrics: the numbers of the service and of its process, for Prometheus.
#pragma once

#include "fleet/http/page.hpp"

namespace rollcall::fleet {

class MetricsPage final : public Page {
 public:
  explicit MetricsPage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  asio::awaitable<void> send(ServerExchange& exchange, ClientPtr client);

  ServiceEntry& entry_;
};

}  // namespace rollcall::fleet
