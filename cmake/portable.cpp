// For a command that runs with glibc 2.34: what static archives of Debian 12 take from later ones.
#include <sys/random.h>

#include <cstdint>

// Of libstdc++'s random_device, from glibc 2.36 on. As there: it cannot fail.
extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  while (::getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}
