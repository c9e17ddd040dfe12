#include "conformance/judge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "conformance/compare.hpp"
#include "conformance/error_kinds.hpp"
#include "conformance/text_form.hpp"

namespace rollcall::conformance {
namespace {

// Why this is not the outcome that the case accepts here; none when it is.
std::optional<std::string> refusal(const Acceptable& wanted, const Step& step, const Outcome& outcome, bool is_tpu) {
  if (wanted.is_error != outcome.failure.has_value()) return wanted.is_error ? "no error came" : "an error came";
  if (!wanted.is_error) return mismatch(wanted.value, outcome.value, mode_of(*step.call));
  const std::vector<std::string_view> kinds = kinds_of(*outcome.failure, is_tpu);
  const auto is_accepted = [&](const std::string& kind) { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); };
  if (std::none_of(wanted.kinds.begin(), wanted.kinds.end(), is_accepted)) return "the error is of another kind";
  const std::string message = ResolveError(*outcome.failure).what();
  for (const std::string& fragment : wanted.contains) {
    if (message.find(fragment) == std::string::npos) return fmt::format("the message lacks '{}'", fragment);
  }
  return std::nullopt;
}

std::string describe(const HttpMatch& match) {
  std::string text = fmt::format("{} {}://{}{}", match.method.value_or("any"), match.scheme.value_or("*"), match.host.value_or("*"),
                                 match.paths.empty() ? "/*" : fmt::format("{}", fmt::join(match.paths, "|")));
  return text;
}

}  // namespace

bool looks_up_tpus(std::string_view resolver, const json::object& args) {
  if (resolver == "tpu" || resolver == "cloud_tpu_client") return true;
  const json::value* const children = args.if_contains("children");
  if (resolver != "union" || !children || !children->is_array()) return false;
  return std::any_of(children->get_array().begin(), children->get_array().end(), [](const json::value& child) {
    const json::object* const object = child.if_object();
    const json::value* const kind = object ? object->if_contains("resolver") : nullptr;
    if (!kind || !kind->is_string()) return false;
    const json::value* const own = object->if_contains("args");
    return looks_up_tpus(std::string_view(kind->get_string()), own && own->is_object() ? own->get_object() : json::object());
  });
}

std::string to_text(const Outcome& outcome, bool is_tpu) {
  if (!outcome.failure) return short_text(outcome.value);
  return fmt::format("{} ({}): {}", to_string(outcome.failure->code()), fmt::join(kinds_of(*outcome.failure, is_tpu), "/"),
                     printable(ResolveError(*outcome.failure).what(), 600));
}

std::optional<std::string> judge_outcome(const Case& the_case, const Step& step, const Outcome& outcome) {
  const bool is_tpu = looks_up_tpus(the_case.resolver, the_case.args);
  std::string reasons;
  std::string wanted;
  for (const Acceptable& acceptable : step.acceptable) {
    const std::optional<std::string> reason = refusal(acceptable, step, outcome, is_tpu);
    if (!reason) return std::nullopt;
    reasons = *reason;
    wanted += (wanted.empty() ? "" : " or ") + acceptable.to_text();
  }
  return fmt::format("expected {}, came {}{}", wanted, to_text(outcome, is_tpu),
                     step.acceptable.size() == 1 ? fmt::format(" [{}]", reasons) : "");
}

std::optional<std::string> judge_requests(const Case& the_case, const HttpScript& script, const GrpcScript& grpc) {
  if (!script.unmatched().empty()) {
    return fmt::format("expected only requests that the case lists, came {}{}", script.unmatched().front(),
                       script.unmatched().size() > 1 ? fmt::format(" and {} more", script.unmatched().size() - 1) : "");
  }
  for (const ExpectedRequests& expected : the_case.requests) {
    std::int64_t count = expected.match.grpc_target ? grpc.attempts(*expected.match.grpc_target) : 0;
    for (const SeenRequest& request : script.requests()) {
      if (expected.match.grpc_target || !request.matches(expected.match)) continue;
      ++count;
      const auto missing = request.is_on_wire ? missing_header(request, expected.headers) : std::nullopt;
      if (missing) return fmt::format("expected every request {} to carry {}", request.to_text(), *missing);
    }
    if (count < expected.min.value_or(0) || (expected.max && count > *expected.max)) {
      return fmt::format("expected {} to {} requests {}, came {}", expected.min.value_or(0),
                         expected.max ? std::to_string(*expected.max) : "any number of",
                         expected.match.grpc_target ? "to gRPC " + *expected.match.grpc_target : describe(expected.match), count);
    }
  }
  return std::nullopt;
}

std::optional<std::string> judge_elapsed(const Case& the_case, double elapsed_ms) {
  if (!the_case.max_elapsed_ms || elapsed_ms <= *the_case.max_elapsed_ms) return std::nullopt;
  return fmt::format("expected to take at most {:.0f} ms, took {:.0f} ms", *the_case.max_elapsed_ms, elapsed_ms);
}

std::optional<std::string> judge_environment(const json::object& after, CaseWorld& world) {
  if (const json::value* const env = after.if_contains("env")) {
    for (const auto& [name, wanted] : env->get_object()) {
      const std::optional<std::string> found = world.environment().get(name);
      const json::value value = found ? json::value(*found) : json::value();
      if (mismatch(wanted, value)) {
        return fmt::format("expected {} to be {} afterwards, is {}", std::string_view(name), short_text(wanted), short_text(value));
      }
    }
  }
  if (const json::value* const clock = after.if_contains("clock_s")) {
    constexpr double tolerance = 1e-3;
    const double wanted = Reader(*clock, "clock_s").number();
    const double found = world.clock().seconds();
    if (std::abs(found - wanted) > tolerance) return fmt::format("expected the clock at {:g} s afterwards, it is at {:g} s", wanted, found);
  }
  return std::nullopt;
}

}  // namespace rollcall::conformance
