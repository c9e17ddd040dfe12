// Base of c-ares look-ups: a channel on the caller's executor, without a thread, that can be cancelled at once.
#pragma once

#include <ares.h>

#include <asio/any_io_executor.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "async/async_event.hpp"
#include "async/timer_queue.hpp"
#include "net/dns/wire/resolv_conf.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// One query with a channel of its own, because cancelling works by channel. Shared with the handlers of its descriptors. c-ares may call
/// back from within any of its functions; callbacks only record the result, and every call into c-ares ends in settle(), which processes
/// it.
class AresQuestion : public std::enable_shared_from_this<AresQuestion> {
 public:
  AresQuestion(const AresQuestion&) = delete;
  AresQuestion& operator=(const AresQuestion&) = delete;

  /// Starts. `servers` are `ip[:port]`; empty: the system's. The AsyncEvent is woken at the end.
  void start(const std::vector<std::string>& servers);
  /// Ends it; the AsyncEvent is not used any more.
  void abandon() noexcept;
  bool is_over() const noexcept { return is_over_; }
  /// It failed for lack of a descriptor, not by the name servers' fault: repeat it when there is one.
  bool has_run_out_of_descriptors() const noexcept { return has_run_out_of_descriptors_; }
  /// The configured name servers: `10.0.0.2, 10.0.0.3:5353`.
  std::string asked() const;
  /// The hint when there is no answer: the name servers, and where they are configured.
  std::string hint() const;

 protected:
  AresQuestion(asio::any_io_executor executor, TimerQueue& timers, AsyncEvent& done);
  /// Derived classes close the channel in their destructors: closing calls back.
  virtual ~AresQuestion();
  virtual void ask(ares_channel channel) = 0;

  /// For the callback: there is an answer, or none.
  void note_answer(int status) noexcept {
    status_ = status;
    has_answer_ = true;
  }
  void close_channel() noexcept;
  int status() const noexcept { return status_; }
  /// No query for AAAA records is sent.
  bool skips_ipv6() const noexcept { return options_.skips_ipv6; }
  /// The failure when there is no answer. `name` is the name that was looked up.
  Failure failure(std::string_view name) const;

 private:
  class Watch;
  void open_channel();
  std::string tcp_trouble() const;
  std::string advice(std::string_view what) const;
  void on_descriptor(ares_socket_t descriptor, bool wants_read, bool wants_write);
  void watch_all();
  void process(ares_socket_t readable, ares_socket_t writable);
  void settle();
  void judge();
  void finish();

  asio::any_io_executor executor_;
  TimerQueue& timers_;
  AsyncEvent* done_;
  Timer timer_;
  ares_channel channel_ = nullptr;
  std::map<ares_socket_t, std::shared_ptr<Watch>> watches_;
  std::string servers_;
  ResolverOptions options_;  // of the system's servers; none for servers that were given
  bool is_answer_cut_ = false;  // a server has truncated its answer, so that TCP is needed
  std::string asked_;  // name servers without an answer
  bool takes_any_answer_ = false;
  bool are_servers_refused_ = false;
  int status_ = ARES_SUCCESS;
  bool has_answer_ = false;
  bool has_run_out_of_descriptors_ = false;
  bool is_over_ = false;
};

}  // namespace rollcall
