// Runs case files of the vector format (tests/vectors/README.md) against the library: `conformance [options] DIR_OR_FILE…`.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json/stream_parser.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "conformance/compare.hpp"
#include "conformance/runner.hpp"

namespace {

using namespace rollcall::conformance;
namespace fs = std::filesystem;

constexpr int exit_passed = 0;
constexpr int exit_failed = 1;
constexpr int exit_malformed = 2;

constexpr const char* usage =
    "Usage: conformance [--verbose] [--only TEXT] [--must-fail] DIR_OR_FILE…\n"
    "Runs every case of the given JSON files, and of the *.json files in the given directories.\n"
    "  --verbose    list passed cases too\n"
    "  --only TEXT  run only cases whose name contains TEXT\n"
    "  --must-fail  for testing the harness: every case must fail, with its note in the reason\n";

class Options {
 public:
  bool is_verbose = false;
  bool must_fail = false;
  std::string only;
  std::vector<std::string> paths;
};

Options read_options(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--verbose")
      options.is_verbose = true;
    else if (word == "--must-fail")
      options.must_fail = true;
    else if (word == "--only" && i + 1 < count)
      options.only = words[++i];
    else if (word.starts_with("--"))
      throw FormatError(fmt::format("unknown option '{}'\n{}", word, usage));
    else
      options.paths.push_back(word);
  }
  if (options.paths.empty()) throw FormatError(usage);
  return options;
}

std::vector<fs::path> find_files(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  std::set<fs::path> known;
  const auto add = [&](const fs::path& file) {
    if (known.insert(fs::weakly_canonical(file)).second) files.push_back(file);
  };
  for (const std::string& path : paths) {
    if (!fs::exists(path)) throw FormatError(path + ": there is no such file or directory");
    if (!fs::is_directory(path)) {
      add(path);
      continue;
    }
    std::set<fs::path> inside;
    for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
      if (entry.path().extension() == ".json") inside.insert(entry.path());
    }
    if (inside.empty()) throw FormatError(path + ": there is no *.json file in it");
    for (const fs::path& file : inside) add(file);
  }
  return files;
}

boost::json::value parse_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in.good() && !in.eof()) throw FormatError(file.string() + ": cannot be read");
  boost::json::parse_options options;
  options.max_depth = 2000;  // some cases test depth
  boost::json::stream_parser parser({}, options);
  std::error_code error;
  const std::size_t consumed = parser.write_some(text, error);
  if (!error && text.find_first_not_of(" \t\r\n", consumed) != std::string::npos) error = boost::json::error::extra_data;
  if (!error) parser.finish(error);
  if (error) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(consumed, text.size())), '\n');
    throw FormatError(fmt::format("{}: line {}: not JSON: {}", file.string(), line, error.message()));
  }
  return parser.release();
}

std::vector<Case> load(const fs::path& file) {
  std::vector<Case> cases = read_cases(parse_file(file), file.string());
  for (const Case& one : cases) {
    for (const Step& step : one.steps) {
      for (const Acceptable& acceptable : step.acceptable) {
        if (const auto bad = bad_pattern(acceptable.value))
          throw FormatError(fmt::format("{}: case '{}': {}", file.string(), one.name, *bad));
      }
    }
  }
  return cases;
}

class Tally {
 public:
  int passed = 0;
  int failed = 0;
  int skipped = 0;
};

// The harness's own test: the case must fail, for the reason in its note.
Verdict turned(const Case& one, const Verdict& verdict) {
  if (verdict.kind == Verdict::Kind::failed && verdict.text.find(one.note) != std::string::npos)
    return Verdict(Verdict::Kind::passed, verdict.text);
  const std::string came = verdict.kind == Verdict::Kind::passed ? "a pass" : verdict.text;
  return Verdict(Verdict::Kind::failed, fmt::format("expected to fail with '{}', came {}", one.note, came));
}

void run_file(const fs::path& file, const std::vector<Case>& cases, const Options& options, Authority& authority, Tally& total) {
  Tally tally;
  for (const Case& one : cases) {
    if (one.name.find(options.only) == std::string::npos) continue;
    for (const std::string& key : one.ignored_keys) fmt::print(stderr, "note: {}: not a key of the format, ignored\n", key);
    Verdict verdict = run_case(one, authority);
    if (options.must_fail) verdict = turned(one, verdict);
    switch (verdict.kind) {
      case Verdict::Kind::passed:
        ++tally.passed;
        if (options.is_verbose)
          fmt::print("pass {}{}\n", one.name, verdict.text.empty() ? "" : " (fails as it must: " + verdict.text + ")");
        break;
      case Verdict::Kind::failed:
        ++tally.failed;
        fmt::print("FAIL {}: {}\n", one.name, verdict.text);
        break;
      case Verdict::Kind::skipped:
        ++tally.skipped;
        fmt::print("skip {}: {}\n", one.name, verdict.text);
        break;
    }
    std::fflush(stdout);
  }
  fmt::print("{}: {} passed, {} failed, {} skipped\n", file.filename().string(), tally.passed, tally.failed, tally.skipped);
  total.passed += tally.passed;
  total.failed += tally.failed;
  total.skipped += tally.skipped;
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::pair<fs::path, std::vector<Case>>> files;
  Options options;
  try {
    options = read_options(count, words);
    for (const fs::path& file : find_files(options.paths)) files.emplace_back(file, load(file));
  } catch (const std::exception& error) {
    fmt::print(stderr, "conformance: {}\n", error.what());
    return exit_malformed;
  }
  std::set<std::string> names;
  for (const auto& [file, cases] : files) {
    for (const Case& one : cases) {
      if (!names.insert(one.name).second) fmt::print(stderr, "note: {}: there is another case '{}'\n", file.string(), one.name);
    }
  }
  Authority authority;
  Tally total;
  for (const auto& [file, cases] : files) run_file(file, cases, options, authority, total);
  fmt::print("{} passed, {} failed, {} skipped\n", total.passed, total.failed, total.skipped);
  return total.failed == 0 ? exit_passed : exit_failed;
}
