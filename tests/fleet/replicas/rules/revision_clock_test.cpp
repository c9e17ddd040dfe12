#include "fleet/replicas/rules/revision_clock.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <random>

using namespace rollcall;
using namespace rollcall::fleet;
using namespace std::chrono_literals;

namespace {

const SteadyTime clock_start = SteadyTime(1000s);

class Answer {
 public:
  Answer() {}
  SteadyTime asked_at{};
  std::uint64_t revision = 0;
  bool is_own_write = false;
};

}  // namespace

TEST_CASE("What has a higher revision than an answer was written after the question", "[fleet]") {
  RevisionClock clock;
  CHECK_FALSE(clock.written_at(7, clock_start));
  clock.answered(clock_start, 10);
  CHECK_FALSE(clock.written_at(10, clock_start + 5s));  // it was there when the question came
  CHECK(clock.written_at(11, clock_start + 5s) == clock_start + RevisionClock::error);
  CHECK(clock.written_at(11, clock_start + 300ms) == clock_start + 300ms);  // never later than now
  clock.answered(clock_start + 1s, 12);
  CHECK(clock.written_at(12, clock_start + 5s) == clock_start + RevisionClock::error);
  CHECK(clock.written_at(13, clock_start + 5s) == clock_start + 1s + RevisionClock::error);
  clock.wrote(clock_start + 2s, 14);
  CHECK(clock.written_at(13, clock_start + 5s) == clock_start + 1s + RevisionClock::error);
  CHECK(clock.written_at(14, clock_start + 5s) == clock_start + 2s + RevisionClock::error);
  clock.clear();
  CHECK_FALSE(clock.written_at(99, clock_start + 5s));
}

TEST_CASE("Answers that overtake each other say no less, and few are kept", "[fleet]") {
  RevisionClock clock;
  clock.answered(clock_start + 2s, 12);
  clock.answered(clock_start, 10);
  CHECK(clock.written_at(11, clock_start + 5s) == clock_start + RevisionClock::error);
  CHECK(clock.written_at(13, clock_start + 5s) == clock_start + 2s + RevisionClock::error);
  clock.answered(clock_start + 1s, 20);  // says less than the first
  CHECK(clock.written_at(21, clock_start + 5s) == clock_start + 2s + RevisionClock::error);
  clock.answered(clock_start + 4s, 12);  // nothing was written meanwhile
  CHECK(clock.written_at(13, clock_start + 5s) == clock_start + 4s + RevisionClock::error);
  clock.answered(clock_start + 4s + 99ms, 13);
  CHECK(clock.written_at(14, clock_start + 9s) == clock_start + 4s + RevisionClock::error);  // too little more
  for (std::uint64_t i = 0; i < 2 * RevisionClock::most_marks; ++i) clock.answered(clock_start + 5s + std::chrono::seconds(i), 100 + i);
  CHECK_FALSE(clock.written_at(13, clock_start + 10s));
  CHECK(clock.written_at(99 + 2 * RevisionClock::most_marks, clock_start + 10000s));
}

TEST_CASE("However late questions and answers are, nothing is taken for younger than it is", "[fleet]") {
  std::mt19937 dice(1);
  for (int story = 0; story < 200; ++story) {
    RevisionClock clock;
    std::map<std::uint64_t, SteadyTime> written;  // when each revision was
    std::multimap<SteadyTime, Answer> answers;     // when they come
    SteadyTime now = clock_start;
    std::uint64_t revision = 1;
    for (int step = 0; step < 300; ++step) {
      now += std::chrono::milliseconds(dice() % 700);
      const bool writes = revision == 1 || dice() % 2 == 0;
      if (writes) written[++revision] = now;
      // It reached the store now, whenever it was sent.
      Answer answer;
      answer.asked_at = now - std::chrono::milliseconds(dice() % 2 == 0 ? 0 : dice() % 2000);
      answer.revision = revision;
      answer.is_own_write = writes && dice() % 2 == 0;
      answers.emplace(now + std::chrono::milliseconds(dice() % 2000), answer);
      for (; !answers.empty() && answers.begin()->first <= now; answers.erase(answers.begin())) {
        const Answer& come = answers.begin()->second;
        if (come.is_own_write) {
          clock.wrote(come.asked_at, come.revision);
        } else {
          clock.answered(come.asked_at, come.revision);
        }
      }
      const std::uint64_t of = 2 + dice() % (revision - 1);
      const auto from = clock.written_at(of, now);
      if (from && *from > written[of] + RevisionClock::error) FAIL("revision " << of << " in story " << story);
    }
  }
}
