// Dates in the formats of RFC 3339 and HTTP.
#include "base/timestamp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/load.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 12> month_names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> day_names = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

// Parses a text from the left; after a first mismatch, everything after fails too.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  int digits(std::size_t count) {
    const auto number = parse_decimal<int>(rest_.substr(0, count));
    if (rest_.size() < count || !number) return fail();
    rest_.remove_prefix(count);
    return *number;
  }
  void literal(std::string_view expected) {
    if (!equals_ignoring_case(rest_.substr(0, expected.size()), expected)) fail();
    if (ok_) rest_.remove_prefix(expected.size());
  }
  bool accept(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // The index of the name that comes next; `size` of its letters are compared, all if 0.
  template <std::size_t N>
  int name(const std::array<std::string_view, N>& names, std::size_t size) {
    for (std::size_t i = 0; i < N; ++i) {
      const std::string_view wanted = size ? names[i].substr(0, size) : names[i];
      if (rest_.substr(0, wanted.size()) != wanted) continue;
      rest_.remove_prefix(wanted.size());
      return static_cast<int>(i);
    }
    return fail();
  }
  int fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }
  bool at_end() const { return ok_ && rest_.empty(); }
  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

class Civil {
 public:
  Civil() {}
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  Duration fraction{0};
  std::chrono::minutes offset{0};
};

year_month_day date_of(const Civil& at) {
  return year_month_day{std::chrono::year(at.year), std::chrono::month(static_cast<unsigned>(at.month)),
                        std::chrono::day(static_cast<unsigned>(at.day))};
}

bool is_valid(const Civil& at) { return date_of(at).ok() && at.hour <= 23 && at.minute <= 59 && at.second <= 60; }

// 64 bits of nanoseconds reach from 1677-09-21 to 2262-04-11.
constexpr int first_year = 1678;
constexpr int last_year = 2261;

std::optional<WallTime> to_time(const Civil& at) {
  using namespace std::chrono;
  if (!is_valid(at) || at.year < first_year || at.year > last_year) return std::nullopt;
  return WallTime(sys_days(date_of(at)).time_since_epoch() + hours(at.hour) + minutes(at.minute) + seconds(at.second) - at.offset +
                  at.fraction);
}

void read_clock(Cursor& from, Civil& at) {
  at.hour = from.digits(2);
  from.literal(":");
  at.minute = from.digits(2);
  from.literal(":");
  at.second = from.digits(2);
}

// The form in which most dates are written, `2026-11-26T13:34:42Z`, at a tenth of the cost. None: it has another form, or is no date.
std::optional<WallTime> in_usual_form(std::string_view text) {
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  if (text.size() != form.size()) return std::nullopt;
  // Eight bytes at a time: where the form has a digit, the difference is at most 9, else 0.
  constexpr std::string_view room = "vvvv\x7fvv\x7fvv\x7fvv\x7fvv\x7fvv\x7f";  // up to 0x7f
  for (const std::size_t i : {0, 8, 12}) {
    const std::uint64_t difference = load<std::uint64_t>(text.data() + i) ^ load<std::uint64_t>(form.data() + i);
    if (((difference | (difference + load<std::uint64_t>(room.data() + i))) & 0x8080808080808080) != 0) return std::nullopt;
  }
  const auto two = [text](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  Civil at;
  at.year = two(0) * 100 + two(2);
  at.month = two(5);
  at.day = two(8);
  at.hour = two(11);
  at.minute = two(14);
  at.second = two(17);
  return to_time(at);
}

Civil to_civil(WallTime time) {
  using namespace std::chrono;
  const auto days = floor<std::chrono::days>(time);
  const year_month_day date(days);
  const hh_mm_ss clock(time - days);
  Civil at;
  at.year = int(date.year());
  at.month = static_cast<int>(unsigned(date.month()));
  at.day = static_cast<int>(unsigned(date.day()));
  at.hour = static_cast<int>(clock.hours().count());
  at.minute = static_cast<int>(clock.minutes().count());
  at.second = static_cast<int>(clock.seconds().count());
  at.fraction = clock.subseconds();
  return at;
}

}  // namespace

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  if (const std::optional<WallTime> usual = in_usual_form(text)) return usual;
  Cursor from(text);
  Civil at;
  at.year = from.digits(4);
  from.literal("-");
  at.month = from.digits(2);
  from.literal("-");
  at.day = from.digits(2);
  from.literal("T");
  read_clock(from, at);
  if (from.accept('.')) {
    const std::size_t size = std::min(from.rest().find_first_not_of("0123456789"), from.rest().size());
    if (size > 9) return std::nullopt;
    std::int64_t fraction = from.digits(size);
    for (std::size_t i = size; i < 9; ++i) fraction *= 10;
    at.fraction = Duration(fraction);
  }
  const int sign = from.accept('+') ? 1 : from.accept('-') ? -1 : 0;
  if (sign == 0) {
    from.literal("Z");
  } else {
    const int hours = from.digits(2);
    from.literal(":");
    const int minutes = from.digits(2);
    if (hours > 23 || minutes > 59) return std::nullopt;
    at.offset = std::chrono::minutes(sign * (hours * 60 + minutes));
  }
  if (!from.at_end()) return std::nullopt;
  return to_time(at);
}

std::string format_rfc3339(WallTime time) {
  const Civil at = to_civil(time);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", at.year, at.month, at.day, at.hour, at.minute, at.second);
  if (const auto fraction = at.fraction.count(); fraction != 0) {
    if (fraction % 1'000'000 == 0) {
      text += fmt::format(".{:03}", fraction / 1'000'000);
    } else if (fraction % 1'000 == 0) {
      text += fmt::format(".{:06}", fraction / 1'000);
    } else {
      text += fmt::format(".{:09}", fraction);
    }
  }
  return text += 'Z';
}

std::optional<WallTime> parse_http_date(std::string_view text, WallTime now) {
  Cursor from(text);
  Civil at;
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) {  // Sun Nov  6 08:49:37 1994
    from.name(day_names, 3);
    from.literal(" ");
    at.month = from.name(month_names, 3) + 1;
    from.literal(" ");
    at.day = from.accept(' ') ? from.digits(1) : from.digits(2);
    from.literal(" ");
    read_clock(from, at);
    from.literal(" ");
    at.year = from.digits(4);
  } else {
    const bool is_short = comma == 3;
    from.name(day_names, is_short ? 3 : 0);
    from.literal(", ");
    at.day = from.digits(2);
    from.literal(is_short ? " " : "-");
    at.month = from.name(month_names, 3) + 1;
    from.literal(is_short ? " " : "-");
    if (is_short) {
      at.year = from.digits(4);
    } else {
      const int this_year = to_civil(now).year;
      at.year = this_year / 100 * 100 + from.digits(2);
      if (at.year > this_year + 50) at.year -= 100;
    }
    from.literal(" ");
    read_clock(from, at);
    from.literal(" GMT");
  }
  if (!from.at_end() || !is_valid(at)) return std::nullopt;
  if (at.year < first_year) return WallTime::min();
  return at.year > last_year ? WallTime::max() : to_time(at);
}

std::string format_http_date(WallTime time) {
  const Civil at = to_civil(time);
  const unsigned weekday = std::chrono::weekday(std::chrono::floor<std::chrono::days>(time)).c_encoding();
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", day_names[weekday].substr(0, 3), at.day,
                     month_names[static_cast<std::size_t>(at.month - 1)], at.year, at.hour, at.minute, at.second);
}

std::string coarse_duration_text(Duration duration) {
  using std::chrono::duration_cast;
  const auto seconds = duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < 10) return fmt::format("{:.1f} s", std::chrono::duration<double>(std::max(duration, Duration(0))).count());
  if (seconds < 60) return fmt::format("{} s", seconds);
  const auto pair = [](long long large, const char* of_large, long long small, const char* of_small) {
    return small == 0 ? fmt::format("{} {}", large, of_large) : fmt::format("{} {} {} {}", large, of_large, small, of_small);
  };
  if (seconds < 3600) return pair(seconds / 60, "m", seconds % 60, "s");
  if (seconds < 86400) return pair(seconds / 3600, "h", seconds % 3600 / 60, "m");
  return pair(seconds / 86400, "d", seconds % 86400 / 3600, "h");
}

}  // namespace rollcall
