#include "async/async_event.hpp"

#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/execution/context.hpp>
#include <asio/execution_context.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <boost/intrusive/list.hpp>
#include <cassert>
#include <mutex>
#include <type_traits>
#include <utility>

namespace rollcall {

using ListHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

// The type-erased handler of a waiting coroutine, stored in the event.
class AsyncEvent::Pending : public ListHook {
 public:
  explicit Pending(AsyncEvent& event) : event_(event) {}
  /// Resumes the coroutine later. Destroys this object first: another thread may resume at once, and the event is destroyed with the
  /// coroutine.
  virtual void resume(bool woken) = 0;
  /// Ends without resuming it.
  virtual void drop() noexcept = 0;
  /// Records that this is now in a list, which `mutex` guards.
  void note_list(std::mutex& mutex) noexcept { mutex_ = &mutex; }
  /// Stores `handler` in the event as the one to resume.
  template <class Handler, class OnCancel>
  static void hold(AsyncEvent& event, Handler handler, OnCancel on_cancel);

 protected:
  ~Pending();

 private:
  AsyncEvent& event_;
  std::mutex* mutex_ = nullptr;
};

// A handler that is stored in the frame which it would resume is a reference cycle. Asio breaks such cycles of its own when an execution
// context shuts down; this service does the same for AsyncEvent. Locked: strands of one thread pool share a service.
class PendingService final : public asio::execution_context::service {
 public:
  using key_type = PendingService;
  static asio::execution_context::id id;
  explicit PendingService(asio::execution_context& context) : asio::execution_context::service(context) {}
  void add(AsyncEvent::Pending& pending) {
    const std::lock_guard lock(mutex_);
    list_.push_back(pending);
    pending.note_list(mutex_);
  }

 private:
  void shutdown() override {
    while (!list_.empty()) list_.front().drop();  // no other thread is left
  }
  std::mutex mutex_;
  boost::intrusive::list<AsyncEvent::Pending, boost::intrusive::constant_time_size<false>> list_;
};
asio::execution_context::id PendingService::id;

AsyncEvent::Pending::~Pending() {
  event_.pending_ = nullptr;
  event_.timer_.cancel();
  if (!mutex_) return;
  const std::lock_guard lock(*mutex_);
  unlink();
}

namespace {

template <class Handler>
class PendingHandler final : public AsyncEvent::Pending {
 public:
  PendingHandler(AsyncEvent& event, Handler handler) : Pending(event), handler_(std::move(handler)) {}
  void resume(bool woken) override {
    Handler handler = take();
    const auto executor = asio::get_associated_executor(handler);
    asio::post(executor, [handler = std::move(handler), woken]() mutable {
      if constexpr (std::is_invocable_v<Handler&, bool>) {
        handler(woken);
      } else {
        static_cast<void>(woken);
        handler();
      }
    });
  }
  void drop() noexcept override { static_cast<void>(take()); }

 private:
  // The handler may hold the last reference to the event's coroutine: destroy it last.
  Handler take() {
    Handler handler = std::move(handler_);
    this->~PendingHandler();
    return handler;
  }

  Handler handler_;
};

}  // namespace

AsyncEvent::~AsyncEvent() {
  if (pending_) pending_->drop();  // the frame is being destroyed from outside: destroy the handler, too
}

void AsyncEvent::finish(bool woken) {
  if (!pending_) {
    is_woken_ = is_woken_ || woken;
    return;
  }
  pending_->resume(woken);
}

template <class Handler, class OnCancel>
void AsyncEvent::Pending::hold(AsyncEvent& event, Handler handler, OnCancel on_cancel) {
  asio::execution_context& context = asio::query(asio::get_associated_executor(handler), asio::execution::context);
  auto slot = asio::get_associated_cancellation_slot(handler);
  static_assert(sizeof(PendingHandler<Handler>) <= sizeof room_ && alignof(PendingHandler<Handler>) <= alignof(std::max_align_t));
  PendingService& service = asio::use_service<PendingService>(context);
  event.pending_ = new (event.room_) PendingHandler<Handler>(event, std::move(handler));
  service.add(*event.pending_);
  if (slot.is_connected()) slot.assign(on_cancel);
  if (std::exchange(event.is_woken_, false)) event.finish(true);
}

namespace {

asio::awaitable<bool> woken_already() { co_return true; }
asio::awaitable<void> over_already() { co_return; }

}  // namespace

// Not coroutines, except for an event that has already occurred: saves a frame per wait.
asio::awaitable<bool> AsyncEvent::wait() {
  if (std::exchange(is_woken_, false)) return woken_already();
  const auto on_cancel = [this](asio::cancellation_type) { finish(false); };
  return asio::async_initiate<const asio::use_awaitable_t<>, void(bool)>(
      [this, on_cancel](auto handler) { Pending::hold(*this, std::move(handler), on_cancel); }, asio::use_awaitable);
}

asio::awaitable<bool> AsyncEvent::wait_until(TimerQueue& queue, SteadyTime when) {
  if (std::exchange(is_woken_, false)) return woken_already();
  const auto on_cancel = [this](asio::cancellation_type) { finish(false); };
  const auto start = [this, &queue, when, on_cancel](auto handler) {
    timer_.set(queue, when, [](void* event) noexcept { static_cast<AsyncEvent*>(event)->wake(); }, this);
    Pending::hold(*this, std::move(handler), on_cancel);
  };
  return asio::async_initiate<const asio::use_awaitable_t<>, void(bool)>(start, asio::use_awaitable);
}

asio::awaitable<void> AsyncEvent::wait_through(void (*on_cancel)(void*), void* context) {
  if (std::exchange(is_woken_, false)) return over_already();
  const auto cancel = [on_cancel, context](asio::cancellation_type) { on_cancel(context); };
  return asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [this, cancel](auto handler) { Pending::hold(*this, std::move(handler), cancel); }, asio::use_awaitable);
}

asio::awaitable<bool> sleep_until(TimerQueue& queue, SteadyTime when) {
  AsyncEvent event;
  co_return co_await event.wait_until(queue, when);
}

asio::awaitable<void> next_turn() {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  co_await asio::post(executor, asio::use_awaitable);
}

}  // namespace rollcall
