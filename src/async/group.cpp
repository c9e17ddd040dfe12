#include "async/group.hpp"

namespace rollcall {

asio::awaitable<void> ChildGroup::wait_all() {
  co_await waiter_.wait_through([](void* self) { static_cast<ChildGroup*>(self)->cancel_all(); }, this);
  if (error_) std::rethrow_exception(error_);
}

}  // namespace rollcall
