// For a command that runs with glibc 2.34: functions of later versions that static archives of Debian 12 use.
#include <sys/random.h>

#include <cstdint>

// Used by libstdc++'s random_device, from glibc 2.36 on. As there: it cannot fail.
extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  while (::getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}
