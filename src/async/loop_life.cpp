#include "async/loop_life.hpp"

#include <asio/execution/context.hpp>
#include <asio/execution_context.hpp>
#include <asio/io_context.hpp>
#include <asio/strand.hpp>
#include <asio/system_executor.hpp>
#include <asio/thread_pool.hpp>
#include <boost/intrusive/list.hpp>
#include <typeinfo>

namespace rollcall {

// Notices the end of its execution context, and notifies its observers. Locked: strands of one thread pool share a service.
class EndService final : public asio::execution_context::service {
 public:
  using key_type = EndService;
  static asio::execution_context::id id;
  explicit EndService(asio::execution_context& context) : asio::execution_context::service(context) {}
  void add(LoopEnd& end) {
    const std::lock_guard lock(mutex_);
    ends_.push_back(end);
    end.mutex_ = &mutex_;
  }
  const std::shared_ptr<std::atomic<bool>> is_over = std::make_shared<std::atomic<bool>>(false);

 private:
  void shutdown() override {  // no other thread is left
    *is_over = true;
    while (!ends_.empty()) {
      LoopEnd& first = ends_.front();
      ends_.pop_front();
      first.mutex_ = nullptr;
      first.on_loop_end();
    }
  }
  std::mutex mutex_;
  boost::intrusive::list<LoopEnd, boost::intrusive::constant_time_size<false>> ends_;
};
asio::execution_context::id EndService::id;

namespace {

using LoopExecutor = asio::io_context::executor_type;

// The object in `executor`, if it is of that type. Asio 1.22's target() does not check the type.
template <class Executor>
const Executor* held(const asio::any_io_executor& executor) {
  return executor.target_type() == typeid(Executor) ? executor.target<Executor>() : nullptr;
}

template <class... Executors>
bool holds_one_of(const asio::any_io_executor& executor) {
  return (held<Executors>(executor) || ...);
}

EndService& end_of(const asio::any_io_executor& executor) {
  return asio::use_service<EndService>(asio::query(executor, asio::execution::context));
}

bool is_stopped(const asio::any_io_executor& executor) {
  if (const auto* loop = held<LoopExecutor>(executor)) return loop->context().stopped();
  if (const auto* strand = held<asio::strand<LoopExecutor>>(executor)) return strand->get_inner_executor().context().stopped();
  if (const auto* strand = held<asio::strand<asio::any_io_executor>>(executor)) return is_stopped(strand->get_inner_executor());
  return false;
}

}  // namespace

asio::any_io_executor made_serial(asio::any_io_executor given) {
  const bool is_serial = !given || holds_one_of<LoopExecutor, asio::strand<LoopExecutor>, asio::strand<asio::any_io_executor>,
                                                asio::strand<asio::thread_pool::executor_type>, asio::strand<asio::system_executor>>(given);
  return is_serial ? given : asio::any_io_executor(asio::make_strand(given));
}

LoopLife::LoopLife(asio::any_io_executor executor) : executor_(std::move(executor)) {
  if (executor_) is_over_ = end_of(executor_).is_over;
}

LoopEnd::LoopEnd(const asio::any_io_executor& executor) {
  if (executor) end_of(executor).add(*this);
}

LoopEnd::~LoopEnd() {
  if (!mutex_) return;
  const std::lock_guard lock(*mutex_);
  unlink();
}

bool LoopLife::is_going() const { return is_there() && !is_stopped(executor_); }

}  // namespace rollcall
