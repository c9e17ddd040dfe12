// Parameters read by a table.
#include "command/session/wire/params.hpp"

#include <boost/json/parse.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::serve;
using rollcall::testing::check_failure;
using namespace std::chrono_literals;

namespace {

class Asked {
 public:
  Asked() {}
  std::string name;
  bool is_on = true;
};

Result<void> put_name(Asked& asked, const boost::json::value& value) {
  Result<std::string> text = read_text(value);
  if (!text) return text.error();
  asked.name = std::move(*text);
  return Result<void>();
}

Result<void> put_on(Asked& asked, const boost::json::value& value) {
  const Result<bool> flag = read_flag(value);
  if (!flag) return flag.error();
  asked.is_on = *flag;
  return Result<void>();
}

constexpr ParamRow<Asked> asked_params[] = {{.name = "name", .apply = put_name, .is_required = true}, {.name = "on", .apply = put_on}};

Result<Asked> asked(std::string_view json) {
  const boost::json::value value = boost::json::parse(json);
  Asked asked;
  const Result<void> read = read_params<Asked>(asked_params, value.if_object(), asked);
  if (!read) return read.error();
  return asked;
}

Result<Duration> seconds(std::string_view json) { return read_seconds(boost::json::parse(json)); }

}  // namespace

TEST_CASE("parameters go where their row says, and null is the default") {
  CHECK(asked(R"({"name":"a","on":false})")->is_on == false);
  CHECK(asked(R"({"name":"a","on":null})")->is_on);
  CHECK(asked(R"({"name":"a"})")->name == "a");
}

TEST_CASE("a parameter that is wrong, unknown or missing is named") {
  check_failure(asked(R"({})"), Errc::invalid_argument, "name is missing");
  check_failure(asked("7"), Errc::invalid_argument, "name is missing");  // not an object: no parameters
  check_failure(asked(R"({"name":null})"), Errc::invalid_argument, "name is missing");
  check_failure(asked(R"({"name":1})"), Errc::invalid_argument, "name: is a number, not a text");
  check_failure(asked(R"({"name":""})"), Errc::invalid_argument, "name: the text is empty");
  check_failure(asked(R"({"name":"a\u0000b"})"), Errc::invalid_argument, "name: there is a zero byte in the text");
  check_failure(asked(R"({"name":"a","on":1})"), Errc::invalid_argument, "on: is a number, not true or false");
  check_failure(asked(R"({"nam":"a"})"), Errc::invalid_argument, "unknown parameter 'nam'");
  CHECK(asked(R"({"nam":"a"})").error().hint() == "did you mean name?");
  CHECK(asked(R"({"name":"a","quite other":1})").error().hint() == "known are name, on");
}

TEST_CASE("seconds are positive, finite, and at most a year") {
  CHECK(*seconds("1") == 1s);
  CHECK(*seconds("0.25") == 250ms);
  CHECK(*seconds("1e-12") == 1ns);
  CHECK(*seconds("31622400") == 366 * 24h);
  for (const std::string_view bad : {"0", "-1", "31622401", "1e300", "-0.0", "1e999"}) {
    INFO(bad);
    CHECK(seconds(bad).has_error());
  }
  check_failure(seconds("1e300"), Errc::invalid_argument, "1e+300 is no time; accepted are seconds, more than 0 and at most 31622400");
  check_failure(seconds("31622401"), Errc::invalid_argument, "31622401 is no time");
  check_failure(seconds("\"1\""), Errc::invalid_argument, "is a text, not a number of seconds");
}

TEST_CASE("whole numbers, words and lists") {
  CHECK(*read_whole(boost::json::parse("3"), 1, 5) == 3);
  check_failure(read_whole(boost::json::parse("6"), 1, 5), Errc::invalid_argument, "is no whole number from 1 to 5");
  check_failure(read_whole(boost::json::parse("2.5"), 1, 5), Errc::invalid_argument, "is no whole number from 1 to 5");
  check_failure(read_whole(boost::json::parse("true"), 1, 5), Errc::invalid_argument, "is a boolean, not a whole number");
  constexpr std::string_view words[] = {"auto", "devices"};
  CHECK(*read_word(boost::json::parse("\"devices\""), words) == 1);
  check_failure(read_word(boost::json::parse("\"devise\""), words), Errc::invalid_argument,
                "'devise' is not accepted; accepted are auto, devices");
  CHECK(read_texts(boost::json::parse(R"(["a","b"])"))->size() == 2);
  check_failure(read_texts(boost::json::parse(R"(["a",1])")), Errc::invalid_argument, "element 1: is a number, not a text");
  check_failure(read_texts(boost::json::parse(R"("a")")), Errc::invalid_argument, "is a text, not a list of texts");
}
