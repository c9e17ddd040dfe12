// The error category, the names of codes, and the text of a Failure.
#include "rollcall/error.hpp"

#include <fmt/format.h>

#include "base/failure_parts.hpp"
#include "base/text.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

struct Row {
  Errc code;
  std::string_view name;
  const char* text;
};

constexpr Row rows[] = {
    {Errc::invalid_argument, "invalid_argument", "an argument has the wrong form or value"},
    {Errc::not_found, "not_found", "the named thing does not exist"},
    {Errc::conflict, "conflict", "two sources claim the same task"},
    {Errc::unimplemented, "unimplemented", "not supported"},
    {Errc::not_ready, "not_ready", "the cluster is not in a usable state"},
    {Errc::failed_precondition, "failed_precondition", "the environment does not allow the call"},
    {Errc::malformed_response, "malformed_response", "the answer cannot be interpreted"},
    {Errc::permission_denied, "permission_denied", "permission denied"},
    {Errc::unauthenticated, "unauthenticated", "no valid credentials"},
    {Errc::refused_by_policy, "refused_by_policy", "not sent, because that would break a safety rule"},
    {Errc::rate_limited, "rate_limited", "a rate limit or quota was hit"},
    {Errc::unavailable, "unavailable", "the service cannot serve now"},
    {Errc::unreachable, "unreachable", "no connection could be made"},
    {Errc::unknown_host, "unknown_host", "the host's name does not resolve"},
    {Errc::tls_failed, "tls_failed", "the TLS handshake failed"},
    {Errc::http_error, "http_error", "the server answered with an error"},
    {Errc::rpc_error, "rpc_error", "the server answered with a gRPC error"},
    {Errc::limit_exceeded, "limit_exceeded", "a limit was exceeded"},
    {Errc::cancelled, "cancelled", "cancelled"},
    {Errc::resolve_timeout, "resolve_timeout", "looking up the host's name took too long"},
    {Errc::connect_timeout, "connect_timeout", "connecting took too long"},
    {Errc::handshake_timeout, "handshake_timeout", "the TLS handshake took too long"},
    {Errc::response_timeout, "response_timeout", "the server was silent for too long"},
    {Errc::deadline_exceeded, "deadline_exceeded", "the deadline passed"},
};

const Row* find_row(int code) noexcept {
  for (const Row& row : rows) {
    if (static_cast<int>(row.code) == code) return &row;
  }
  return nullptr;
}

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "rollcall"; }
  std::string message(int code) const override {
    const Row* row = find_row(code);
    return row ? row->text : fmt::format("unknown error {}", code);
  }
  std::error_condition default_error_condition(int code) const noexcept override {
    const Row* row = find_row(code);
    if (!row) return {code, *this};
    if (is_timeout(row->code)) return std::errc::timed_out;
    switch (row->code) {
      case Errc::invalid_argument: return std::errc::invalid_argument;
      case Errc::permission_denied: return std::errc::permission_denied;
      case Errc::cancelled: return std::errc::operation_canceled;
      default: return {code, *this};
    }
  }
};

// A file name rarely has the form `10.0.0.1:8470` or `worker-0:8470`.
bool is_address(std::string_view target) {
  const Result<Endpoint> endpoint = Endpoint::parse(target);
  return endpoint && endpoint->port;
}

std::string elapsed_text(std::chrono::nanoseconds elapsed) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  if (seconds < 0.0995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(seconds + 0.5);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

}  // namespace

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

std::error_code make_error_code(Errc code) noexcept { return {static_cast<int>(code), error_category()}; }

std::string_view to_string(Errc code) noexcept {
  const Row* row = find_row(static_cast<int>(code));
  return row ? row->name : "unknown";
}

bool is_timeout(Errc code) noexcept {
  return code == Errc::resolve_timeout || code == Errc::connect_timeout || code == Errc::handshake_timeout ||
         code == Errc::response_timeout || code == Errc::deadline_exceeded;
}

std::string_view to_string(Phase phase) noexcept {
  switch (phase) {
    case Phase::none: return "none";
    case Phase::resolve: return "resolve";
    case Phase::connect: return "connect";
    case Phase::handshake: return "handshake";
    case Phase::response: return "response";
    case Phase::overall: return "overall";
  }
  return "?";
}

Failure::Story::~Story() = default;  // defined here, so that it is not inlined wherever a Result is destroyed

Failure::Failure(Errc code, std::string what) : code_(code), story_(std::make_unique<Story>()) { story_->what = std::move(what); }

Failure::Failure(const Failure& other)
    : code_(other.code_), phase_(other.phase_), story_(other.story_ ? std::make_unique<Story>(*other.story_) : nullptr) {}

const Failure::Story& Failure::no_story() noexcept {
  static const Story none;
  return none;
}

Failure::Story& Failure::own_story() {
  if (!story_) story_ = std::make_unique<Story>();
  return *story_;
}

FailureParts parts_of(const Failure& failure) {
  FailureParts parts;
  parts.cause = failure.what().empty() ? error_category().message(static_cast<int>(failure.code())) : failure.what();
  parts.hint = failure.hint();
  const std::string& target = failure.target();
  const bool is_asked = target.find("://") != std::string::npos || is_address(target);
  const std::string said = is_asked || target.find('/') != std::string::npos
                               ? target
                               : quoted(target);  // quoted, since a short name such as "f" occurs in many words
  if (!target.empty() && failure.what().find(said) == std::string::npos) {
    parts.kind = is_asked ? "asked" : "file";
    parts.target = target;
  }
  const auto add = [&story = parts.story](const std::string& text) { story += (story.empty() ? "" : "; ") + text; };
  const std::string duration = failure.elapsed() > std::chrono::nanoseconds(0) ? elapsed_text(failure.elapsed()) : std::string();
  if (failure.attempts() > 0) {
    add(fmt::format("{} {}{}{}", failure.attempts(), failure.attempts() == 1 ? "attempt" : "attempts", duration.empty() ? "" : " in ",
                    duration));
  } else if (!duration.empty() && failure.code() != Errc::deadline_exceeded) {  // the cause contains that time
    add("after " + duration);
  }
  if (failure.last_status() != 0) add(fmt::format("last answer HTTP {}", failure.last_status()));
  if (failure.phase() != Phase::none && failure.phase() != Phase::overall) add(fmt::format("phase {}", to_string(failure.phase())));
  return parts;
}

std::string Failure::message() const {
  const FailureParts parts = parts_of(*this);
  std::string details = parts.target.empty() ? std::string() : fmt::format("{} {}", parts.kind, parts.target);
  if (!parts.story.empty()) details += (details.empty() ? "" : "; ") + parts.story;
  std::string line = parts.cause;
  // A service's sentence goes on here; an ellipsis stays.
  const bool goes_on = !details.empty() || !parts.hint.empty();
  if (goes_on && line.size() > 1 && line.ends_with('.') && !line.ends_with("..")) line.pop_back();
  if (!details.empty()) line += " (" + details + ")";
  if (!parts.hint.empty()) line += ": " + parts.hint;
  return printable(line, 16 * 1024);  // the parts should be printable already; this guarantees one line
}

ResolveError::ResolveError(Failure failure)
    : std::system_error(make_error_code(failure.code())), failure_(std::move(failure)), message_(failure_.message()) {}

void throw_exception_from_error(const Failure& failure, const boost::source_location&) { throw ResolveError(failure); }

}  // namespace rollcall
