// One public call: its options, and the operations that a resolver may use within it.
#pragma once

#include <asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "rollcall/detail/call_state.hpp"
#include "rollcall/http.hpp"
#include "rollcall/retry_policy.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

class CallOptions {
 public:
  CallOptions() {}
  // clang-format off
  /// For the whole call, retries and waits included. Default 30 s; must be positive.
  CallOptions& timeout(std::chrono::nanoseconds t) { timeout_ = t; return *this; }
  CallOptions& retry(RetryPolicy p) { retry_ = p; return *this; }
  // clang-format on
  /// Options of a resolver's own, by their type, such as TpuCallOptions. They replace those of the same type.
  /// Throws std::length_error for a third type.
  template <class Own>
  CallOptions& with(const Own& options) {
    static_assert(std::is_trivially_copyable_v<Own> && sizeof(Own) <= sizeof(OwnOptions::bytes));
    std::memcpy(own_of(typeid(Own)).bytes, &options, sizeof(Own));
    return *this;
  }

  std::chrono::nanoseconds timeout() const noexcept { return timeout_; }
  const RetryPolicy& retry() const noexcept { return retry_; }
  /// The options of that type; its defaults if there are none.
  template <class Own>
  Own get() const noexcept {
    Own options;
    for (const OwnOptions& own : own_) {
      if (own.type && *own.type == typeid(Own)) std::memcpy(static_cast<void*>(&options), own.bytes, sizeof(Own));
    }
    return options;
  }

 private:
  class OwnOptions {
   public:
    const std::type_info* type = nullptr;
    unsigned char bytes[8] = {};
  };
  OwnOptions& own_of(const std::type_info& type);

  std::chrono::nanoseconds timeout_ = std::chrono::seconds(30);
  RetryPolicy retry_;
  OwnOptions own_[2];
};

/// A call in progress. Resolvers receive it and pass it on.
class Call {
 public:
  Call(std::shared_ptr<Runtime::Impl> runtime, CallOptions options);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const CallOptions& options() const noexcept { return options_; }
  SteadyTime started() const noexcept { return started_; }
  SteadyTime deadline() const noexcept { return deadline_; }
  std::uint64_t id() const noexcept { return id_; }

  /// Sends one HTTP request through the library's retries, limits and tracing; for resolvers that users write. `with_token`: send the
  /// Runtime's credentials (https or loopback only). Non-2xx final answers become failures by status. A request that the server may have
  /// processed is sent again only if that is safe (HttpRequest::is_repeatable; not set: a GET). Any request is sent again when the server
  /// certainly did not process it: no server accepted it, or the server rejected it (401, 429, 503 with Retry-After).
  asio::awaitable<Result<HttpResponse>> fetch(HttpRequest request, bool with_token = false);

  /// Suspends until the earlier of `when` and the deadline (deadline_exceeded). Cancellable.
  asio::awaitable<Result<void>> sleep_until(SteadyTime when);

  /// What resolvers share within this call, such as an answer that several of them need: one object of each type, made at its first use.
  template <class Shared>
  std::shared_ptr<Shared> shared() {
    std::shared_ptr<void>& object = shared_of(typeid(Shared));
    if (!object) object = std::make_shared<Shared>();
    return std::static_pointer_cast<Shared>(object);
  }

 private:
  std::shared_ptr<void>& shared_of(const std::type_info& type);

  friend Runtime::Impl& impl_of(const Call& call) noexcept;
  friend CallState& state_of(Call& call) noexcept;
  std::shared_ptr<Runtime::Impl> runtime_;
  CallOptions options_;
  SteadyTime started_;
  SteadyTime deadline_;
  std::uint64_t id_;
  CallState state_;
  std::vector<std::pair<const std::type_info*, std::shared_ptr<void>>> shared_;
};

}  // namespace rollcall
