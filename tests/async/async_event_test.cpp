// Turns of the loop.
#include "async/async_event.hpp"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <catch2/catch.hpp>
#include <string>

using namespace rollcall;

namespace {

asio::awaitable<void> write_in_turns(std::string& text) {
  text += 'a';
  co_await next_turn();
  text += 'b';
  co_await next_turn();
  text += 'c';
}

}  // namespace

TEST_CASE("ready handlers run in between") {
  asio::io_context io{1};
  std::string text;
  asio::co_spawn(io, write_in_turns(text), asio::detached);
  asio::post(io, [&] {
    text += '1';
    asio::post(io, [&] { text += '2'; });
  });
  io.run();
  CHECK(text == "a1b2c");
}

TEST_CASE("cancelled work gets no further turn") {
  asio::io_context io{1};
  asio::cancellation_signal cancel;
  std::string text;
  std::error_code thrown;
  const auto on_end = [&](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const std::system_error& e) {
      thrown = e.code();
    }
  };
  asio::co_spawn(io, write_in_turns(text), asio::bind_cancellation_slot(cancel.slot(), on_end));
  asio::post(io, [&] { cancel.emit(asio::cancellation_type::terminal); });
  io.run();
  CHECK(thrown == std::error_code(asio::error::operation_aborted));
  CHECK(text != "abc");
}
