// An executor of one simulated process, which can stand still: nothing of it runs meanwhile, and all of it afterwards, as after SIGSTOP and
// SIGCONT, or on a machine that was suspended.
#pragma once

#include <asio/execution.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace rollcall::testing {

class PausableExecutor {
 public:
  explicit PausableExecutor(asio::io_context& io) : gate_(std::make_shared<Gate>(io)) {}

  void pause() const { gate_->is_closed = true; }
  void go_on() const {
    gate_->is_closed = false;
    for (auto& work : std::exchange(gate_->waiting, {})) pass(gate_, std::move(work));
  }

  // As Asio asks of an executor.
  asio::execution_context& query(asio::execution::context_t) const noexcept { return gate_->io; }
  static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept { return asio::execution::blocking.never; }
  PausableExecutor require(asio::execution::blocking_t::never_t) const { return *this; }
  template <class Work>
  void execute(Work work) const {
    const auto kept = std::make_shared<Work>(std::move(work));  // which may not be copyable
    pass(gate_, [kept] { std::move (*kept)(); });
  }
  friend bool operator==(const PausableExecutor& a, const PausableExecutor& b) noexcept { return a.gate_ == b.gate_; }

 private:
  class Gate {
   public:
    explicit Gate(asio::io_context& of) : io(of) {}
    asio::io_context& io;
    bool is_closed = false;
    std::vector<std::function<void()>> waiting;
  };
  static void pass(const std::shared_ptr<Gate>& gate, std::function<void()> work) {
    asio::post(gate->io, [gate, work = std::move(work)]() mutable {
      if (!gate->is_closed) return work();
      gate->waiting.push_back(std::move(work));
    });
  }

  std::shared_ptr<Gate> gate_;
};

}  // namespace rollcall::testing
