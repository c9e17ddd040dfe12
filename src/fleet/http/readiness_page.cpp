// /healthz and /readyz: for those that watch over the service, a load balancer or Kubernetes.
#include <string>

#include "fleet/http/pages.hpp"
#include "fleet/http/replies.hpp"

namespace rollcall::fleet {
namespace {

// 200 while the process runs.
class HealthPage final : public Page {
 public:
  asio::awaitable<void> answer(PageRequest request) override;
};

// 503 while the service stops, or cannot reach its store.
class ReadinessPage final : public Page {
 public:
  explicit ReadinessPage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  ServiceEntry& entry_;
};

}  // namespace

asio::awaitable<void> HealthPage::answer(PageRequest request) { return reply_text(request.exchange, 200, "ok\n"); }

asio::awaitable<void> ReadinessPage::answer(PageRequest request) {
  if (entry_.is_closing()) return reply_text(request.exchange, 503, "draining\n");
  const std::string fault = entry_.fleet().fault();
  if (!fault.empty()) return reply_text(request.exchange, 503, fault + "\n");
  return reply_text(request.exchange, 200, "ready\n");
}

std::unique_ptr<Page> make_health_page() { return std::make_unique<HealthPage>(); }

std::unique_ptr<Page> make_readiness_page(ServiceEntry& entry) { return std::make_unique<ReadinessPage>(entry); }

}  // namespace rollcall::fleet
