#include "fleet/http/readiness_page.hpp"

#include <string>

#include "fleet/http/replies.hpp"

namespace rollcall::fleet {

asio::awaitable<void> HealthPage::answer(PageRequest request) { return reply_text(request.exchange, 200, "ok\n"); }

asio::awaitable<void> ReadinessPage::answer(PageRequest request) {
  if (entry_.is_closing()) return reply_text(request.exchange, 503, "draining\n");
  const std::string fault = entry_.fleet().fault();
  if (!fault.empty()) return reply_text(request.exchange, 503, fault + "\n");
  return reply_text(request.exchange, 200, "ready\n");
}

}  // namespace rollcall::fleet
