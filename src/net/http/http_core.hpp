// What all exchanges of one transport share.
#pragma once

#include <asio/any_io_executor.hpp>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "async/timer_queue.hpp"
#include "net/codec/inflate.hpp"
#include "net/dial/dialer.hpp"
#include "net/http/pool.hpp"
#include "net/socket/loop_throttle.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

class Exchange;
using ExchangeHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

class HttpCore {
 public:
  HttpCore(asio::any_io_executor loop, std::shared_ptr<TimerQueue> queue, NetworkOptions network);
  ~HttpCore();

  /// Where every connection reads to. What is in it is used up before the coroutine that read it suspends.
  std::span<char> read_buffer();
  std::unique_ptr<Inflater> take_inflater();
  void keep_inflater(std::unique_ptr<Inflater> inflater) noexcept { spare_inflater_ = std::move(inflater); }
  void close();

  const asio::any_io_executor executor;
  const std::shared_ptr<TimerQueue> timers;
  const NetworkOptions options;
  Dialer dialer;
  const std::shared_ptr<ConnectionPool> pool;
  /// How many requests are begun, or answers read, in one turn of the loop.
  static constexpr std::size_t steps_per_turn = 8;
  const std::shared_ptr<LoopThrottle> steps;
  std::string request_buffer;  ///< where requests are put together; wiped after use
  boost::intrusive::list<Exchange, boost::intrusive::base_hook<ExchangeHook>, boost::intrusive::constant_time_size<false>> exchanges;
  bool is_closed = false;

 private:
  std::vector<char> read_buffer_;
  std::unique_ptr<Inflater> spare_inflater_;
};

}  // namespace rollcall
