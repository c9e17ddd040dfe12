// How long the stub takes for an answer: always the same time, or one at random, so that answers drip in one by one.
#pragma once

#include <chrono>
#include <random>

namespace bench {

class AnswerDelay {
 public:
  AnswerDelay() {}
  AnswerDelay(int at_least, int at_most) : spread_(at_least, at_most) {}
  bool is_none() const { return spread_.b() == 0; }
  std::chrono::milliseconds next() { return std::chrono::milliseconds(spread_(random_)); }

 private:
  std::uniform_int_distribution<int> spread_{0, 0};
  std::minstd_rand random_{1};
};

}  // namespace bench
