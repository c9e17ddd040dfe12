#include "async/group.hpp"

namespace rollcall {

asio::awaitable<void> ChildGroup::wait_all() {
  co_await waiter_.wait_through([](void* self) { static_cast<ChildGroup*>(self)->cancel_all(); }, this);
  if (error_) std::rethrow_exception(error_);
}

Failure ChildGroup::failure_of(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::system_error& thrown) {
    return Failure(Errc::cancelled, thrown.code().message());
  } catch (...) {
    keep_exception(std::move(error));
    return Failure(Errc::cancelled, "it threw");
  }
}

asio::awaitable<Result<void>> join(std::vector<asio::awaitable<Result<void>>> children) {
  const std::vector<Result<void>> results = co_await gather(std::move(children), OnFailure::cancel_rest);
  std::optional<Failure> failed = first_cause(results);
  if (failed) co_return std::move(*failed);
  co_return Result<void>();
}

}  // namespace rollcall
