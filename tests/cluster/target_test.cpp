// The target grammar: examples, faults, and the round trip of random targets through parser and shell.
#include "rollcall/target.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <memory>
#include <random>

#include "support/result.hpp"

using namespace rollcall;

namespace {

using Items = std::vector<std::string>;

Target make(std::string scheme, std::string body, std::vector<std::pair<std::string, Items>> options = {}) {
  Target target;
  target.scheme = std::move(scheme);
  target.body = std::move(body);
  target.options = std::move(options);
  return target;
}

Target random_target(std::mt19937& random) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  // Mostly characters with a special meaning in the grammar or a shell.
  constexpr std::string_view meaning = ",=+%:/.@[]~*?!#$&'\"`\\ ;|<>(){}^-_\n\t\x01\x7f";
  const auto text = [&](int max) {
    std::string out;
    for (int i = pick(max + 1); i > 0; --i) {
      const int kind = pick(4);
      out.push_back(kind == 0   ? meaning[static_cast<std::size_t>(pick(static_cast<int>(meaning.size())))]
                    : kind == 1 ? static_cast<char>(pick(256))
                                : "abzjo.=,xAZ019"[pick(14)]);
    }
    return out;
  };
  Target target = make(pick(2) ? "tpu" : "s3x", text(12));
  for (int i = pick(4); i > 0; --i) {
    const std::string name = text(5);
    const std::string key = pick(2) ? "job." + (name.empty() ? "w" : name) : std::string("k") + std::to_string(i) + "_";
    if (target.get(key)) continue;
    Items items;
    for (int j = pick(4); j > 0; --j) items.push_back(text(8));
    if (items == Items{""}) items.clear();
    target.options.emplace_back(key, items);
  }
  return target;
}

// The arguments that /bin/sh -c (or bash) passes to a program for each of the words.
std::string through_shell(const std::string& shell, const std::string& words) {
  const std::string command = shell + " -c 'printf \"%s\\n\" " + words + "'";  // words contain no quote: checked first
  std::string out;
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  REQUIRE(pipe);
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe.get())) > 0;) out.append(buffer, n);
  return out;
}

}  // namespace

TEST_CASE("targets of the documentation") {
  CHECK(Target::parse("tpu:trainer,zone=us-central2-b,api=v2").value() ==
        make("tpu", "trainer", {{"zone", {"us-central2-b"}}, {"api", {"v2"}}}));
  CHECK(Target::parse("tpu:grpc://10.0.0.1:8470,grpc://10.0.0.2").value() == make("tpu", "grpc://10.0.0.1:8470,grpc://10.0.0.2"));
  CHECK(Target::parse("kubernetes:train,job.worker=app=x+tier=y,port=8470").value() ==
        make("kubernetes", "train", {{"job.worker", {"app=x", "tier=y"}}, {"port", {"8470"}}}));
  CHECK(Target::parse("simple:job.worker=a:1+b:2,job.ps=c:3").value() ==
        make("simple", "", {{"job.worker", {"a:1", "b:2"}}, {"job.ps", {"c:3"}}}));
  for (const char* text :
       {"tpu:trainer,zone=us-central2-b,api=v2", "tpu:grpc://10.0.0.1:8470,grpc://10.0.0.2", "simple:job.worker=a:1+b:2,job.ps=c:3",
        "kubernetes:train,job.worker=app=x+tier=y,port=8470", "tfconfig:", "tpu:a,", "tpu:,,x=1"}) {
    CHECK(Target::parse(text).value().to_text() == text);
  }
}

TEST_CASE("where the body ends") {
  CHECK(Target::parse("tpu:a,b,zone=c").value() == make("tpu", "a,b", {{"zone", {"c"}}}));
  CHECK(Target::parse("tpu:,zone=c").value() == make("tpu", "", {{"zone", {"c"}}}));
  CHECK(Target::parse("tpu:Zone=c").value() == make("tpu", "Zone=c"));
  CHECK(Target::parse("tpu:a%2Czone%3Dc").value() == make("tpu", "a,zone=c"));
  CHECK(Target::parse("tpu:[fd00::1]:8470").value() == make("tpu", "[fd00::1]:8470"));
  CHECK(make("tpu", "[fd00::1]:8470").to_text() == "tpu:%5Bfd00::1%5D:8470");
}

TEST_CASE("lists and their items") {
  CHECK(Target::parse("simple:job.w=").value() == make("simple", "", {{"job.w", {}}}));
  CHECK(Target::parse("simple:job.w=a++b").value() == make("simple", "", {{"job.w", {"a", "", "b"}}}));
  CHECK(Target::parse("simple:job.w=a%2Bb%2Cc").value() == make("simple", "", {{"job.w", {"a+b,c"}}}));
  CHECK(Target::parse("simple:job.my%20job=a").value().options[0].first == "job.my job");
  const Target target = Target::parse("x:k=a+b").value();
  CHECK(target.get("k") == "a+b");
  CHECK_FALSE(target.get("other"));
}

TEST_CASE("malformed targets name the fault") {
  struct Row {
    std::string text;
    const char* fragment;
  };
  for (const Row& row :
       {Row{"", "no scheme"}, Row{"trainer", "no scheme"}, Row{":x", "scheme"}, Row{"TPU:x", "scheme"}, Row{"t-u:x", "scheme"},
        Row{"tpu:a,zone=%4", "%"}, Row{"tpu:%zz", "%"}, Row{"tpu:%", "%"}, Row{"x:job.%=a", "%"}, Row{"tpu:a,zone=b,zone=c", "twice"},
        Row{"tpu:a,zone=b,c", "key=value"}, Row{"tpu:a,zone=b,", "comma"}, Row{"tpu:a,zone=b,,x=c", "key=value"}, Row{"tpu:a b", "blank"},
        Row{"tpu:a\n", "blank"}, Row{"tpu:\x1b[2J", "control"}, Row{"tpu:" + std::string(10'000'000, 'x'), "longer"}}) {
    const Result<Target> target = Target::parse(row.text);
    testing::check_failure(target, Errc::invalid_argument, row.fragment);
    CHECK(target.error().message().find('\x1b') == std::string::npos);
    CHECK(target.error().message().size() < 1000);
  }
}

TEST_CASE("random targets survive printing and parsing, and nothing printed means anything to a shell") {
  std::mt19937 random(20240607);
  std::string words, lines;
  for (int i = 0; i < 3000; ++i) {
    const Target target = random_target(random);
    const std::string text = target.to_text();
    CAPTURE(text);
    // Only these characters: none of them is special to bash or zsh inside a word that starts with a letter.
    REQUIRE(text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:/@,=+%") == std::string::npos);
    const Result<Target> again = Target::parse(text);
    REQUIRE(again);
    REQUIRE(*again == target);
    if (i >= 500) continue;
    words += " " + text;
    lines += text + "\n";
  }
  CHECK(through_shell("bash", words) == lines);
  CHECK(through_shell("sh", words) == lines);
}
