// Answers that are recorded: any JSON is redacted once and for all, and its names are replaced; any path stays a path of as many segments.
#include <algorithm>

#include "check.hpp"
#include "sim/record/anonymize.hpp"
#include "sim/record/redact.hpp"
#include "sim/wire/route.hpp"

namespace {

using namespace rollcall;

void run_answer(std::string_view text) noexcept {
  std::error_code error;
  boost::json::value answer = boost::json::parse(std::string(text), error);
  if (error) return;
  sim::redact(answer);
  const std::string once = boost::json::serialize(answer);
  sim::redact(answer);
  require(boost::json::serialize(answer) == once);
  sim::Pseudonyms names;
  sim::find_names(names, answer);
  names.choose();
  sim::replace_names(names, answer);
}

void run_path(std::string_view text) noexcept {
  sim::Pseudonyms names;
  sim::find_names_in_path(names, text);
  names.choose();
  const std::string shown = sim::with_names_replaced(names, text);
  require(shown.starts_with('/'));
  require(sim::parse_target(shown).segments.size() == sim::parse_target(text).segments.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size > 65536) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  run_answer(text);
  run_path(text);
  return 0;
}
