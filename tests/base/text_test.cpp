// Foreign text must neither disturb a terminal nor mislead a reader.
#include "base/text.hpp"

#include <array>
#include <catch2/catch.hpp>

using namespace rollcall;

// The parts of a temporary text would be dangling views.
template <class Text>
concept CanBeSplit = requires(Text&& text) { split(std::forward<Text>(text), ','); };
static_assert(CanBeSplit<std::string&> && CanBeSplit<const std::string&> && CanBeSplit<std::string_view> && CanBeSplit<const char*>);
static_assert(!CanBeSplit<std::string>);

TEST_CASE("printable keeps ordinary text, UTF-8 included") {
  CHECK(printable("tpu-1.example:8470") == "tpu-1.example:8470");
  CHECK(printable("Zürich 東京 🚀") == "Zürich 東京 🚀");
  CHECK(printable("") == "");
}

TEST_CASE("printable escapes characters that a terminal obeys or hides") {
  CHECK(printable("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(printable("a\nb\tc\x7f") == "a\\x0ab\\x09c\\x7f");
  CHECK(printable(std::string_view("\0", 1)) == "\\x00");
  CHECK(printable("\xc2\x85") == "\\u{85}");              // a C1 control
  CHECK(printable("\xe2\x80\xae"
                  "abc") == "\\u{202e}abc");  // right-to-left override
  CHECK(printable("\xe2\x80\x8b") == "\\u{200b}");        // zero width
  CHECK(printable("\xef\xbb\xbf") == "\\u{feff}");
  CHECK(printable("\xe2\x80\xa8") == "\\u{2028}");
}

TEST_CASE("printable escapes bytes that are not UTF-8") {
  CHECK(printable("\xff") == "\\xff");
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");                  // overlong
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");          // surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  CHECK(printable("a\xe2\x82") == "a\\xe2\\x82");                 // cut short
}

TEST_CASE("printable cuts long text between characters and says how long it was") {
  CHECK(printable("abcdef", 3) == "abc… (6 bytes)");
  CHECK(printable("abc", 3) == "abc");
  CHECK(printable("aü", 2) == "a… (3 bytes)");
  const std::string huge(10'000'000, '\x1b');
  CHECK(printable(huge).size() <= 256 + 24);
  CHECK(printable("a\x1b\x1b", 5) == "a\\x1b… (3 bytes)");
  CHECK(quoted("it") == "'it'");
}

TEST_CASE("a text that was cut is not cut again") {
  for (const std::string& text :
       {std::string(1000, 'a'), std::string(1000, '\x1b'), std::string(255, 'a') + "üüü", std::string("… (1 bytes)")}) {
    for (const std::size_t limit : {1, 3, 4, 5, 20, 256}) {
      CAPTURE(text, limit);
      const std::string once = printable(text, limit);
      CHECK(printable(once, limit) == once);
      CHECK(once.size() <= limit + 24);
    }
  }
  CHECK(printable("abcdef… (9 bytes)", 3) == "abc… (19 bytes)");
  CHECK(printable("abc (9 bytes)", 3) == "abc… (13 bytes)");
  CHECK(printable("abc… (123456789012345678901 bytes)", 3) == "abc… (36 bytes)");
}

TEST_CASE("a byte outside the range is found at every position") {
  for (const char lowest : {' ', '!'}) {
    for (std::size_t size = 0; size < 20; ++size) {
      const std::string plain(size, '~');
      CHECK(is_ascii_from(lowest, plain));
      for (std::size_t at = 0; at < size; ++at) {
        for (int byte = 0; byte < 256; ++byte) {
          std::string text = plain;
          text[at] = static_cast<char>(byte);
          const bool is_inside = byte >= lowest && byte <= '~';
          if (is_ascii_from(lowest, text) != is_inside) FAIL_CHECK("byte " << byte << " at " << at << " of " << size);
        }
      }
    }
  }
}

TEST_CASE("nearest suggests a likely spelling only") {
  constexpr std::array<std::string_view, 5> schemes = {"tpu", "gce", "kubernetes", "simple", "tfconfig"};
  CHECK(nearest("kuberentes", schemes) == "kubernetes");
  CHECK(nearest("TPU", schemes) == "tpu");
  CHECK(nearest("tup", schemes) == "tpu");
  CHECK(nearest("tf_config", schemes) == "tfconfig");
  CHECK_FALSE(nearest("zebra", schemes));
  CHECK_FALSE(nearest("", schemes));
  CHECK_FALSE(nearest(std::string(10'000'000, 'x'), schemes));
}

TEST_CASE("parts between separators may be empty") {
  using Parts = std::vector<std::string_view>;
  CHECK(split("a,b", ',') == Parts{"a", "b"});
  CHECK(split("", ',') == Parts{""});
  CHECK(split(",a,,", ',') == Parts{"", "a", "", ""});
}

TEST_CASE("numbers are read strictly") {
  CHECK(parse_decimal<int>("0") == 0);
  CHECK(parse_decimal<int>("007") == 7);
  CHECK(parse_decimal<int>("2147483647") == 2147483647);
  CHECK_FALSE(parse_decimal<int>("2147483648"));
  CHECK(parse_decimal<int>("70000", 1, 70000) == 70000);
  CHECK_FALSE(parse_decimal<int>("70001", 1, 70000));
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "0x1", "1.0", "1e3", "99999999999999999999999999"})
    CHECK_FALSE(parse_decimal<int>(text));
  CHECK_FALSE(parse_decimal<std::uint64_t>(std::string(10'000'000, '9')));
}

TEST_CASE("Python's int() spelling") {
  CHECK(parse_python_int("1") == 1);
  CHECK(parse_python_int(" 1\n") == 1);
  CHECK(parse_python_int("+1") == 1);
  CHECK(parse_python_int("-1") == -1);
  CHECK(parse_python_int("-0") == 0);
  CHECK(parse_python_int("01") == 1);
  CHECK(parse_python_int("1_000") == 1000);
  for (const char* text : {"", " ", "+", "- 1", "1__0", "_1", "1_", "1.0", "a", "0x1", "99999999999999999999"})
    CHECK_FALSE(parse_python_int(text));
}
