// gzip in slices.
#include "net/codec/inflate.hpp"

#include <catch2/catch.hpp>

#include "sim/wire/encoding.hpp"

using namespace rollcall;
using rollcall::sim::gzip;

namespace {

class Inflated {
 public:
  std::string text;
  bool is_corrupt = false;
  bool is_whole = false;
  std::size_t max_slice = 0;
};

Inflated inflate_all(std::string_view input, std::size_t step, std::size_t slice) {
  Inflated result;
  Inflater inflater;
  while (!input.empty() && !result.is_corrupt) {
    inflater.put(input.substr(0, step));
    input.remove_prefix(std::min(step, input.size()));
    for (;;) {
      const std::size_t before = result.text.size();
      const auto status = inflater.step(result.text, slice);
      result.max_slice = std::max(result.max_slice, result.text.size() - before);
      result.is_corrupt = status == Inflater::Status::corrupt;
      if (status != Inflater::Status::slice_full) break;
    }
  }
  result.is_whole = inflater.is_whole();
  return result;
}

}  // namespace

TEST_CASE("gzip is decompressed in slices, for every division into pieces") {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "line " + std::to_string(i * 7919 % 1000) + "\n";
  const std::string packed = gzip(text);
  for (const std::size_t step : {std::size_t{1}, std::size_t{5}, std::size_t{100}, packed.size()}) {
    for (const std::size_t slice : {std::size_t{1}, std::size_t{1000}, std::size_t{65536}}) {
      const Inflated whole = inflate_all(packed, step, slice);
      CHECK(whole.text == text);
      CHECK(whole.is_whole);
      CHECK_FALSE(whole.is_corrupt);
      CHECK(whole.max_slice <= slice);
      const Inflated cut = inflate_all(std::string_view(packed).substr(0, packed.size() - 1), step, slice);
      CHECK_FALSE(cut.is_whole);
    }
  }
  CHECK(inflate_all(packed + gzip("more"), 10, 1000).text == text + "more");
  CHECK(inflate_all("", 1, 1).is_whole);
}

TEST_CASE("input other than gzip is corrupt") {
  const std::string packed = gzip("hello hello hello");
  CHECK(inflate_all("plain text", 3, 100).is_corrupt);
  CHECK(inflate_all(packed + "garbage", 1000, 100).is_corrupt);
  std::string flipped = packed;
  flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 1);  // the check sum
  CHECK(inflate_all(flipped, 1000, 100).is_corrupt);
  CHECK_FALSE(inflate_all(packed + "\x1f", 1000, 100).is_whole);
}

TEST_CASE("a decompression bomb is decompressed a slice at a time") {
  const std::string packed = gzip(std::string(20'000'000, 'a'));
  Inflater inflater;
  inflater.put(packed);
  std::string out;
  CHECK(inflater.step(out, 65536) == Inflater::Status::slice_full);
  CHECK(out.size() == 65536);
  inflater.reset();
  out.clear();
  const std::string other = gzip("x");
  inflater.put(other);
  CHECK(inflater.step(out, 65536) == Inflater::Status::need_input);
  CHECK(out == "x");
}
