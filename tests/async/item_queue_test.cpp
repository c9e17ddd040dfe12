// The bounded buffer between the producers and the reader.
#include "async/item_queue.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "rollcall/testing/virtual_loop.hpp"

using namespace rollcall;
using rollcall::testing::VirtualLoop;

namespace {

asio::awaitable<int> write_numbers(ItemQueue<int>& queue, int first, int count) {
  for (int i = 0; i < count; ++i) {
    const bool is_pushed = co_await queue.push(first + i);
    if (!is_pushed) co_return i;
  }
  co_return count;
}

asio::awaitable<std::vector<int>> read_numbers(ItemQueue<int>& queue, int max) {
  std::vector<int> read;
  bool was_cancelled = false;
  while (static_cast<int>(read.size()) < max) {
    const std::optional<int> item = co_await queue.pop(was_cancelled);
    if (!item) break;
    read.push_back(*item);
  }
  if (was_cancelled) read.push_back(-1);
  co_return read;
}

}  // namespace

TEST_CASE("writers wait for the reader when the buffer is full, and nothing is lost") {
  VirtualLoop loop;
  ItemQueue<int> queue(3);
  auto first = loop.start(write_numbers(queue, 0, 10));
  auto second = loop.start(write_numbers(queue, 100, 10));
  CHECK(queue.size() == 3);
  CHECK_FALSE(first.done());
  CHECK_FALSE(second.done());
  const std::vector<int> read = loop.run(read_numbers(queue, 20));
  CHECK(read.size() == 20);
  CHECK(std::set<int>(read.begin(), read.end()).size() == 20);
  CHECK(first.value() == 10);
  CHECK(second.value() == 10);
  CHECK(queue.size() == 0);
}

TEST_CASE("a reader waits for items, and gets the end") {
  VirtualLoop loop;
  ItemQueue<int> queue(3);
  auto reader = loop.start(read_numbers(queue, 5));
  CHECK_FALSE(reader.done());
  loop.run(write_numbers(queue, 1, 2));
  queue.push_anyway(3);
  queue.finish();
  REQUIRE(loop.finish(reader));
  CHECK(reader.value() == std::vector<int>{1, 2, 3});
}

TEST_CASE("a cancelled reader takes nothing; a cancelled writer leaves its place in the queue") {
  VirtualLoop loop;
  ItemQueue<int> queue(1);
  auto reader = loop.start(read_numbers(queue, 5));
  reader.cancel();
  REQUIRE(loop.finish(reader));
  CHECK(reader.value() == std::vector<int>{-1});
  auto stuck = loop.start(write_numbers(queue, 1, 2));
  auto other = loop.start(write_numbers(queue, 10, 1));
  stuck.cancel();
  REQUIRE(loop.finish(stuck));
  CHECK(stuck.value() == 1);
  CHECK(loop.run(read_numbers(queue, 2)) == std::vector<int>{1, 10});
  CHECK(other.value() == 1);
}

TEST_CASE("after the reader has gone, writers continue and their items are dropped") {
  VirtualLoop loop;
  ItemQueue<int> queue(1);
  auto writer = loop.start(write_numbers(queue, 1, 5));
  CHECK_FALSE(writer.done());
  queue.close();
  REQUIRE(loop.finish(writer));
  CHECK(writer.value() == 5);
  CHECK(queue.size() == 0);
  CHECK(loop.run(read_numbers(queue, 1)).empty());
}
