#include "rollcall/call.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/saturating.hpp"
#include "call/api_client.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall {

Call::Call(std::shared_ptr<Runtime::Impl> runtime, CallOptions options)
    : runtime_(std::move(runtime)), options_(std::move(options)), started_(runtime_->time->now()),
      deadline_(saturating_sum(started_, options_.timeout())), id_(runtime_->next_call_id()) {}

Call::~Call() = default;

std::shared_ptr<void>& Call::shared_of(const std::type_info& type) {
  for (auto& [known, object] : shared_) {
    if (*known == type) return object;
  }
  return shared_.emplace_back(&type, nullptr).second;
}

CallOptions::OwnOptions& CallOptions::own_of(const std::type_info& type) {
  for (OwnOptions& own : own_) {
    if (!own.type || *own.type == type) {
      own.type = &type;
      return own;
    }
  }
  throw std::length_error("CallOptions: options of more than two resolvers");
}

asio::awaitable<Result<HttpResponse>> Call::fetch(HttpRequest request, bool with_token) {
  ApiRequest api(std::move(request));
  api.with_token = with_token;
  api.what = fmt::format("{} {}", to_string(api.http.method), api.http.url.without_query());
  co_return co_await api_send(*this, api);
}

asio::awaitable<Result<void>> Call::sleep_until(SteadyTime when) {
  const SteadyTime until = when < deadline_ ? when : deadline_;
  const bool woken = co_await rollcall::sleep_until(*runtime_->timers, until);
  if (!woken) co_return Failure(Errc::cancelled, "cancelled while waiting");
  if (when > deadline_) co_return Failure(Errc::deadline_exceeded, "the wait would outlast the deadline");
  co_return Result<void>();
}

}  // namespace rollcall
