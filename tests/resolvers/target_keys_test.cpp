// The rows of a target's table: each checks and sets its value, and a row of several classes of options does not affect the others.
#include "resolvers/target_keys.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

namespace {

enum class Colour { red, blue };
constexpr TargetWord<Colour> colours[] = {{"red", Colour::red}, {"blue", Colour::blue}};

class Options {
 public:
  // clang-format off
  Options& name(std::string v) { name_ = std::move(v); return *this; }
  Options& port(std::uint16_t v) { port_ = v; return *this; }
  Options& task(std::optional<int> v) { task_ = v; return *this; }
  Options& count(int v) { count_ = v; return *this; }
  Options& wait(bool v) { wait_ = v; return *this; }
  Options& colour(Colour v) { colour_ = v; return *this; }
  Options& parts(std::size_t v) { parts_ = v; return *this; }
  // clang-format on
  const std::string& name() const { return name_; }
  std::uint16_t port() const { return port_; }
  std::optional<int> task() const { return task_; }
  int count() const { return count_; }
  bool wait() const { return wait_; }
  Colour colour() const { return colour_; }
  std::size_t parts() const { return parts_; }

 private:
  std::string name_;
  std::uint16_t port_ = 0;
  std::optional<int> task_;
  int count_ = 0;
  bool wait_ = false;
  Colour colour_ = Colour::red;
  std::size_t parts_ = 0;
};

class OtherOptions {
 public:
  OtherOptions& label(std::string v) {
    label_ = std::move(v);
    return *this;
  }
  const std::string& label() const { return label_; }

 private:
  std::string label_;
};

Result<void> read_parts(const TargetValue& value, Options& options) {
  if (value.items.size() > 2) return value.wrong("has too many parts");
  options.parts(value.items.size());
  return {};
}

// clang-format off
constexpr TargetKeys keys(
    port_key("port", &Options::port, "a port"),
    task_key("task", &Options::task, "an index"),
    count_key("count", &Options::count, "a number"),
    flag_key("wait", &Options::wait, "a flag"),
    word_key("colour", &Options::colour, colours, "is no colour", "a word"),
    own_key("parts", read_parts, "a list"),
    text_key("name", &Options::name, "a text"));
constexpr TargetKeys shared_keys(
    text_key("name", either(&Options::name, &OtherOptions::label), "of both"),
    port_key("port", &Options::port, "of one"));
// clang-format on

Result<void> set(std::string_view text, Options& options) { return keys.set(Target::parse(text).value(), options); }

}  // namespace

TEST_CASE("a table of keys has their names and help in order, and sets what a target gives") {
  REQUIRE(keys.names.size() == 7);
  CHECK(keys.names[0].name == "port");
  CHECK(keys.names[6].meaning == "a text");
  Options options;
  REQUIRE(set("x:name=a+b,port=1,task=2,count=3,wait=true,colour=blue,parts=a+b", options).has_value());
  CHECK(options.name() == "a+b");
  CHECK(options.port() == 1);
  CHECK(options.task() == 2);
  CHECK(options.count() == 3);
  CHECK(options.wait());
  CHECK(options.colour() == Colour::blue);
  CHECK(options.parts() == 2);
  Options untouched;
  REQUIRE(set("x:", untouched).has_value());
  CHECK(untouched.task() == std::nullopt);
}

TEST_CASE("an invalid value is refused by scheme, key and text; of several the first row's is reported") {
  const auto reported = [](std::string_view text) {
    Options options;
    const Result<void> done = set(text, options);
    return done ? std::string("nothing") : done.error().message();
  };
  CHECK_THAT(reported("x:port=0"), Catch::Contains("x: port='0' is not a port, 1 to 65535"));
  CHECK_THAT(reported("x:port=65536"), Catch::Contains("x: port='65536' is not a port"));
  CHECK_THAT(reported("x:task=-1"), Catch::Contains("x: task='-1' is not a task index"));
  CHECK_THAT(reported("x:count=a"), Catch::Contains("x: count='a' is not a number"));
  CHECK_THAT(reported("x:wait=yes"), Catch::Contains("x: wait='yes' is neither true nor false"));
  CHECK_THAT(reported("x:colour=green"), Catch::Contains("x: colour='green' is no colour"));
  CHECK_THAT(reported("x:parts=a+b+c"), Catch::Contains("x: parts='a+b+c' has too many parts"));
  CHECK_THAT(reported("x:wait=yes,task=a,name=n"), Catch::Contains("task='a'"));
}

TEST_CASE("a row sets the options that have its setter, and no others") {
  const Target target = Target::parse("x:name=n,port=7").value();
  Options options;
  OtherOptions other;
  REQUIRE(shared_keys.set(target, options).has_value());
  REQUIRE(shared_keys.set(target, other).has_value());
  CHECK(options.name() == "n");
  CHECK(options.port() == 7);
  CHECK(other.label() == "n");
}
