#include "async/spawn.hpp"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>

namespace rollcall {

namespace {

class EndHandler {
 public:
  using executor_type = asio::any_io_executor;

  EndHandler(asio::any_io_executor home, std::unique_ptr<SpawnedEnd> end) : home_(std::move(home)), end_(std::move(end)) {}
  executor_type get_executor() const noexcept { return home_; }
  void operator()(std::exception_ptr error) { end_->on_end(std::move(error)); }

 private:
  asio::any_io_executor home_;
  std::unique_ptr<SpawnedEnd> end_;
};

}  // namespace

void spawn_erased(const asio::any_io_executor& executor, asio::awaitable<void> work, asio::cancellation_slot slot,
                  asio::any_io_executor home, std::unique_ptr<SpawnedEnd> end) {
  asio::co_spawn(executor, std::move(work), asio::bind_cancellation_slot(slot, EndHandler(std::move(home), std::move(end))));
}

}  // namespace rollcall
