// Wiping memory.
#include "rollcall/secret.hpp"

#include <string.h>  // explicit_bzero

namespace rollcall {

void wipe(void* data, std::size_t size) noexcept {
  if (size != 0) explicit_bzero(data, size);
}

}  // namespace rollcall
