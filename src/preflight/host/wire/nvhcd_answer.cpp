#include "preflight/host/wire/nvhcd_answer.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "base/protobuf_fields.hpp"
#include "base/text.hpp"
#include "json/json_dom.hpp"
#include "preflight/host/wire/verdict_json.hpp"

namespace rollcall {
namespace {

constexpr std::string_view count_of_failures = "fail_count";

class HealthResponse {
 public:
  HealthResponse() {}
  bool is_success = false;
  std::int32_t exit_code = 0;  // of the script
  std::string_view output;     // of the script: JSON
  std::string_view error;      // why the daemon could not run it
};

// False: these bytes are no message.
bool read_response(std::string_view message, HealthResponse& response) {
  return read_fields(message, [&response](std::uint32_t tag, std::uint64_t number, std::string_view text) {
    if (tag == number_field(1)) response.is_success = number != 0;
    if (tag == number_field(2)) response.exit_code = static_cast<std::int32_t>(number);
    if (tag == bytes_field(3)) response.output = trim(text);
    if (tag == bytes_field(4)) response.error = trim(text);
    return true;
  });
}

std::optional<double> number_of(const boost::json::value& value) {
  if (value.is_int64()) return static_cast<double>(value.as_int64());
  if (value.is_uint64()) return static_cast<double>(value.as_uint64());
  return value.is_double() ? std::optional<double>(value.as_double()) : std::nullopt;
}

// What the output says: how many checks have failed, and which; or why it does not.
class FailedChecks {
 public:
  explicit FailedChecks(std::string_view output) {
    if (output.empty()) {
      fault = "its output is empty";
      return;
    }
    const Result<JsonDocument> document = JsonDocument::parse("its output", output);
    if (!document) {
      fault = fmt::format("{}: {}", document.error().what(), quoted(output, 80));
      return;
    }
    const boost::json::value* const found = find(document->root(), count_of_failures);
    count = found ? number_of(*found) : std::nullopt;
    names = joined_in(document->root(), "failed_checks", ", ");
    if (!found) fault = fmt::format("its output has no {}: {}", count_of_failures, quoted(output, 80));
    if (found && !count) fault = fmt::format("{} of its output is {}: {}", count_of_failures, kind_name(*found), quoted(output, 80));
  }
  bool are_some() const { return count && *count != 0; }

  std::optional<double> count;
  std::string names;
  std::string fault;
};

std::string failure_of(const HealthResponse& response, const FailedChecks& checks) {
  if (checks.are_some()) {
    std::string words = fmt::format("says: {:g} check{} failed", *checks.count, *checks.count == 1 ? "" : "s");
    if (!checks.names.empty()) words += ": " + checks.names;
    if (!response.error.empty()) words += fmt::format("; {}", response.error);
    return words;
  }
  const std::string_view why = response.error.empty() ? response.output : response.error;
  return fmt::format("says that its check failed (exit code {}){}{}", response.exit_code, why.empty() ? "" : ": ", why);
}

}  // namespace

std::string nvhcd_request(const std::vector<std::string>& arguments) {
  std::string message;
  for (const std::string& argument : arguments) append_bytes(message, bytes_field(1), argument);
  return message;
}

NvhcdVerdict read_nvhcd_answer(std::string_view message) {
  NvhcdVerdict verdict;
  HealthResponse response;
  if (!read_response(message, response)) {
    verdict.fault = fmt::format("these {} bytes are no HealthCheckResponse: {}", message.size(), quoted(message, 80));
    return verdict;
  }
  const FailedChecks checks(response.output);
  if (!response.is_success || checks.are_some()) {
    verdict.failure = failure_of(response, checks);
  } else if (!checks.fault.empty()) {
    verdict.fault = checks.fault;
  } else if (response.exit_code != 0) {
    verdict.fault = fmt::format("it says success, and that its check ended with exit code {}", response.exit_code);
  }
  return verdict;
}

}  // namespace rollcall
