// Hears of warnings as they happen, so that a cause that only an event gives is looked for at once.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>

#include "async/async_event.hpp"
#include "resolvers/kubernetes/chain/chain_request.hpp"
#include "resolvers/kubernetes/chain/wire/event_line.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

class EventWatch {
 public:
  using Consumer = std::function<void(const KubeEvent&)>;
  static constexpr Duration patience = std::chrono::seconds(1);  ///< from start() to the first stream: most clusters are ready by then

  /// `call` and `source` must outlive it.
  EventWatch(Call& call, const ChainSource& source, Consumer on_warning)
      : call_(call), source_(source), on_warning_(std::move(on_warning)) {}

  /// The caller waits: from now on the events are watched.
  void start() { started_.wake(); }
  /// Watches from start() on, until it is cancelled; or until the server refuses it, which is no failure: causes are polled, too. Of all
  /// namespaces together nothing is watched.
  asio::awaitable<Result<void>> run();

 private:
  asio::awaitable<Result<void>> stream(Call& inner, std::chrono::seconds time);

  Call& call_;
  const ChainSource& source_;
  Consumer on_warning_;
  AsyncEvent started_;
};

}  // namespace rollcall
