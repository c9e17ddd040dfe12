// Output that waits for a client that reads slowly, or not at all.
#include "command/session/outbox.hpp"

#include <catch2/catch.hpp>

#include "rollcall/testing/virtual_loop.hpp"

using rollcall::serve::Outbox;
using rollcall::serve::ProgressSlot;
using rollcall::testing::VirtualLoop;

namespace {

const std::string filler(Outbox::room_for_events, 'x');

// The client reads everything.
std::string read_all(Outbox& outbox) {
  std::string text = outbox.take();
  outbox.written(text.size());
  return text;
}

}  // namespace

TEST_CASE("while the client reads, everything is sent in order") {
  Outbox outbox;
  ProgressSlot slot;
  outbox.offer(slot, "p1\n");
  outbox.offer(slot, "p2\n");
  outbox.settle(slot, "answer\n");
  CHECK(outbox.waiting() == 13);
  CHECK(read_all(outbox) == "p1\np2\nanswer\n");
  CHECK(outbox.is_empty());
  CHECK(outbox.waiting() == 0);
}

TEST_CASE("a client that does not read gets the newest progress only, and none after the answer") {
  Outbox outbox;
  ProgressSlot one;
  ProgressSlot other;
  outbox.put(filler);
  outbox.offer(one, "one 1\n");
  outbox.offer(other, "other 1\n");
  outbox.offer(one, "one 2\n");
  CHECK((outbox.take() == filler));  // must not be printed
  CHECK(outbox.is_empty());
  outbox.written(filler.size());
  CHECK(outbox.take() == "one 2\nother 1\n");
  outbox.written(14);
  outbox.put(filler);
  outbox.offer(one, "one 3\n");
  outbox.offer(other, "other 2\n");
  outbox.settle(other, "answer\n");
  CHECK((outbox.take() == filler + "answer\n"));
  outbox.written(filler.size() + 7);
  CHECK(outbox.take() == "one 3\n");
  outbox.written(6);
  CHECK(outbox.is_empty());
}

TEST_CASE("progress that waits is sent before the answer as soon as there is room") {
  Outbox outbox;
  ProgressSlot slot;
  outbox.put(filler);
  outbox.offer(slot, "p\n");
  outbox.take();
  {
    ProgressSlot gone;  // its request has ended
    outbox.offer(gone, "gone\n");
  }
  outbox.written(10);
  outbox.settle(slot, "answer\n");
  CHECK(outbox.take() == "p\nanswer\n");
}

TEST_CASE("while the client does not read, answers are made one after the other, and only while there is room") {
  VirtualLoop t;
  Outbox outbox;
  ProgressSlot slot;
  outbox.put(std::string(Outbox::room_for_answers, 'x'));
  auto first = t.start(outbox.until_turn_to_answer());
  auto second = t.start(outbox.until_turn_to_answer());
  auto third = t.start(outbox.until_turn_to_answer());
  t.poll();
  CHECK(!first.done());
  first.cancel();
  t.poll();
  REQUIRE(first.done());
  CHECK(!first.value());
  outbox.written(outbox.take().size());
  t.poll();
  REQUIRE(second.done());
  CHECK(second.value());
  CHECK(!third.done());
  outbox.settle(slot, std::string(Outbox::room_for_answers, 'y'));
  t.poll();
  CHECK(!third.done());
  outbox.written(outbox.take().size());
  t.poll();
  REQUIRE(third.done());
  CHECK(third.value());
  CHECK(t.start(outbox.until_turn_to_answer()).done());
}

TEST_CASE("a sender of events waits for room; requests are read while answers are") {
  VirtualLoop t;
  Outbox outbox;
  outbox.put(filler);
  auto event = t.start(outbox.until_room_for_events());
  auto other = t.start(outbox.until_room_for_events());
  auto request = t.start(outbox.until_room_for_answers());
  t.poll();
  CHECK(!event.done());
  CHECK(request.done());
  outbox.put(std::string(Outbox::room_for_answers, 'y'));
  auto late = t.start(outbox.until_room_for_answers());
  other.cancel();
  t.poll();
  CHECK(!late.done());
  REQUIRE(other.done());
  CHECK(!other.value());
  const std::string text = outbox.take();
  outbox.written(Outbox::room_for_events + 1);
  t.poll();
  CHECK(late.done());
  CHECK(!event.done());
  outbox.written(text.size() - Outbox::room_for_events - 1);
  t.poll();
  REQUIRE(event.done());
  CHECK(event.value());
}
