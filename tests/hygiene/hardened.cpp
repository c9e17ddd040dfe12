// Compiled with the flags of optimised builds, as an input for tests/hygiene/binary.py. Never run.
#include <cstring>
#include <vector>

int sum_of_copy(const char* text, std::size_t size, const std::vector<int>& numbers, std::size_t index);

int sum_of_copy(const char* text, std::size_t size, const std::vector<int>& numbers, std::size_t index) {
  char copy[64];
  std::memcpy(copy, text, size);
  int sum = numbers[index];
  for (const char c : copy) sum += c;
  return sum;
}
