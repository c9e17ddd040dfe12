#include "async/loop_life.hpp"

#include <asio/execution/context.hpp>
#include <asio/execution_context.hpp>
#include <asio/io_context.hpp>
#include <asio/strand.hpp>
#include <asio/system_executor.hpp>
#include <asio/thread_pool.hpp>
#include <typeinfo>

namespace rollcall {
namespace {

using LoopExecutor = asio::io_context::executor_type;

// What `executor` holds, if it is of that type. Asio 1.22's target() does not look at the type.
template <class Executor>
const Executor* held(const asio::any_io_executor& executor) {
  return executor.target_type() == typeid(Executor) ? executor.target<Executor>() : nullptr;
}

template <class... Executors>
bool holds_one_of(const asio::any_io_executor& executor) {
  return (held<Executors>(executor) || ...);
}

// Notes the end of the execution context that it belongs to.
class EndService final : public asio::execution_context::service {
 public:
  using key_type = EndService;
  static asio::execution_context::id id;
  explicit EndService(asio::execution_context& context) : asio::execution_context::service(context) {}
  const std::shared_ptr<std::atomic<bool>> is_over = std::make_shared<std::atomic<bool>>(false);

 private:
  void shutdown() override { *is_over = true; }
};
asio::execution_context::id EndService::id;

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
  if (executor_) is_over_ = asio::use_service<EndService>(asio::query(executor_, asio::execution::context)).is_over;
}

bool LoopLife::is_going() const { return is_over_ && !*is_over_ && !is_stopped(executor_); }

}  // namespace rollcall
