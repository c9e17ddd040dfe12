// Calls that share a deadline.
#include "command/ask/question_options.hpp"

#include <catch2/catch.hpp>
#include <chrono>

using namespace rollcall;
using namespace rollcall::command;
using namespace std::chrono_literals;

TEST_CASE("calls of one question have one deadline together") {
  const QuestionOptions shared(CallOptions().timeout(1h).retry(RetryPolicy().max_retries(3)));
  const CallOptions first = shared.next();
  CHECK(first.timeout() <= 1h);
  CHECK(first.timeout() > 30min);
  CHECK(first.timeout() % 1ms == 0ns);
  CHECK(first.retry().max_retries() == 3);
  Duration later = first.timeout();
  while (later == first.timeout()) later = shared.next().timeout();  // as time goes on
  CHECK(later < first.timeout());
}

TEST_CASE("a question whose time is over leaves its calls a moment") {
  const QuestionOptions over(CallOptions().timeout(3ms));
  Duration left = 3ms;
  while (left > 1ms) left = over.next().timeout();
  CHECK(left == 1ms);
}
