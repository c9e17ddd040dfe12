// /healthz and /readyz: for those that watch over the service, a load balancer or Kubernetes.
#pragma once

#include "fleet/http/page.hpp"

namespace rollcall::fleet {

/// 200 while the process runs.
class HealthPage final : public Page {
 public:
  asio::awaitable<void> answer(PageRequest request) override;
};

/// 503 while the service stops, or cannot reach its store.
class ReadinessPage final : public Page {
 public:
  explicit ReadinessPage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  ServiceEntry& entry_;
};

}  // namespace rollcall::fleet
