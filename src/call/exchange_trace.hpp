// Events of one attempt, over HTTP or gRPC. Costs nothing without a log sink that wants them.
#pragma once

#include "call/runtime_impl.hpp"
#include "rollcall/call.hpp"
#include "rollcall/rpc.hpp"

namespace rollcall {

class ExchangeTrace final : public ExchangeObserver {
 public:
  ExchangeTrace(Call& call, const HttpRequest& request, int attempt);
  /// A gRPC call has one attempt, and its transport reports no phases.
  ExchangeTrace(Call& call, const RpcRequest& request);
  /// Null without a log sink that wants these events.
  ExchangeObserver* observer() noexcept { return is_reported_ ? this : nullptr; }
  void finish(const Result<HttpResponse>& answer);
  void finish(const Result<std::string>& message);

  void phase_started(Phase phase) noexcept override;
  void phase_finished(Phase phase) noexcept override;
  void connection_chosen(bool is_reused) noexcept override;
  void proxy_chosen(std::string_view proxy) noexcept override;

 private:
  Event event(EventKind kind) const noexcept;
  void finish(int status, const Failure* failure);
  Runtime::Impl& impl_;
  const bool is_reported_;
  std::uint64_t call_;
  std::uint64_t exchange_;
  int attempt_;
  std::string subject_;
  std::string authority_;
  std::string_view host_;
};

}  // namespace rollcall
