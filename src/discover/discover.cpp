// The public functions of a search.
#include "rollcall/discover.hpp"

#include "async/item_queue.hpp"
#include "async/loop_life.hpp"
#include "async/spawn.hpp"
#include "base/exceptions.hpp"
#include "call/call_scope.hpp"
#include "discover/discovery.hpp"

namespace rollcall {
namespace {

class DiscoveryStream final : public FoundStream {
 public:
  DiscoveryStream(std::shared_ptr<Discovery> search, LoopLife loop) : search_(std::move(search)), loop_(std::move(loop)) {}
  DiscoveryStream(const DiscoveryStream&) = delete;
  DiscoveryStream& operator=(const DiscoveryStream&) = delete;
  ~DiscoveryStream() override {
    if (!loop_.is_there()) return;
    asio::dispatch(search_->executor, [search = search_] {
      search->queue.close();
      search->stop.emit(asio::cancellation_type::terminal);
    });
  }

  asio::awaitable<Result<std::optional<Found>>> try_next() override { return read_item<Found>(search_); }

 private:
  std::shared_ptr<Discovery> search_;
  LoopLife loop_;
};

}  // namespace

asio::awaitable<std::optional<Found>> FoundStream::next() { return value_or_throw(try_next()); }

std::shared_ptr<FoundStream> discover(Runtime runtime, DiscoverOptions options, CallOptions call) {
  const std::shared_ptr<Runtime::Impl>& impl = shared_impl_of(runtime);
  const auto search = std::make_shared<Discovery>(impl->executor, std::move(options));
  auto script = [search](Call& within) { return run_discovery(within, search); };
  auto done = [search](Result<void> result) {
    if (!result) search->queue.push_anyway(Result<Found>(result.error()));
    search->queue.finish();
  };
  spawn_result(impl->executor, run_call<void>(impl, std::move(call), "discover", std::move(script)), search->stop.slot(), "discover",
               std::move(done));
  return std::make_shared<DiscoveryStream>(search, impl->loop);
}

}  // namespace rollcall
