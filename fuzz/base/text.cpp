// Fuzz target: foreign text; the output of printable() contains nothing that controls a terminal.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.hpp"

using namespace rollcall;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t limit = size / 2 + 1;
  const std::string shown = printable(text, limit);
  if (!is_valid_utf8(shown) || printable(shown, limit) != shown || shown.size() > limit + 32) std::abort();
  if (!is_valid_utf8(python_repr(text))) std::abort();
  (void)parse_python_int(text);
  constexpr std::string_view words[] = {"tpu", "kubernetes", "simple"};
  (void)nearest(text, words);
  return 0;
}
