// Events of one attempt. Costs nothing without a log sink.
#pragma once

#include "call/runtime_impl.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

class ExchangeTrace final : public ExchangeObserver {
 public:
  ExchangeTrace(Call& call, const HttpRequest& request, int attempt);
  /// Null without a log sink.
  ExchangeObserver* observer() noexcept { return impl_.log ? this : nullptr; }
  void finish(const Result<HttpResponse>& answer);

  void phase_started(Phase phase) noexcept override;
  void phase_finished(Phase phase) noexcept override;
  void connection_chosen(bool is_reused) noexcept override;
  void proxy_chosen(std::string_view proxy) noexcept override;

 private:
  Event event(EventKind kind) const noexcept;
  Runtime::Impl& impl_;
  std::uint64_t call_;
  std::uint64_t exchange_;
  int attempt_;
  std::string subject_;
  std::string_view host_;
};

}  // namespace rollcall
