// Errors as values. Inside the library every fallible function returns Result<T>; public awaitables throw ResolveError, which carries the
// same Failure. Cost of the split: one conversion in the public functions; benefit: partial results of a fan-out are ordinary values.
#pragma once

#include <boost/system/result.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace rollcall {

/// The kind of a failure. Each enumerator's comment is its specification.
enum class Errc {
  /// An argument, option, environment variable or file content has the wrong form or value.
  invalid_argument = 1,
  /// The named thing does not exist: a job, a task, a TPU, a file, a metadata key.
  not_found,
  /// Two sources claim the same task index of one job.
  conflict,
  /// The request is well formed but this version cannot serve it (several TPUs in one resolver, HTTP 501).
  unimplemented,
  /// The cluster exists but is not in a usable state yet, or not any more; the message names the state.
  not_ready,
  /// The environment is not of the kind that the call needs (not on GCE, no such variables, refused assignment).
  failed_precondition,
  /// An answer arrived that cannot be interpreted (not JSON, wrong type, missing field, bad HTTP framing).
  malformed_response,
  /// The service knows the caller and denies the request (HTTP 403).
  permission_denied,
  /// The service requires credentials, or other ones (HTTP 401); or none could be found.
  unauthenticated,
  /// Sending would violate a safety rule (a token over plain http, an unlisted host, a redirect): nothing was sent.
  refused_by_policy,
  /// A quota or rate limit was hit and did not clear within the retries (HTTP 429, Compute's 403, gRPC's RESOURCE_EXHAUSTED).
  rate_limited,
  /// The service answered that it cannot serve now (HTTP 5xx, 408) until the retries were used up.
  unavailable,
  /// No connection could be made: refused, reset, no route, closed early.
  unreachable,
  /// The host's name does not resolve.
  unknown_host,
  /// The TLS handshake failed: certificate, name, protocol.
  tls_failed,
  /// Any other final HTTP status; the message carries the number.
  http_error,
  /// Any other final gRPC status; the message carries its name.
  rpc_error,
  /// An answer was larger or deeper than a limit allows.
  limit_exceeded,
  /// The caller cancelled the operation, or the runtime was closed.
  cancelled,
  /// The look-up of a host name took too long.
  resolve_timeout,
  /// Establishing a TCP connection took too long.
  connect_timeout,
  /// The TLS handshake took too long.
  handshake_timeout,
  /// A connected server did not answer, or stopped answering, for too long.
  response_timeout,
  /// The deadline of the whole call passed.
  deadline_exceeded,
};

/// The category of Errc values; its name is "rollcall".
const std::error_category& error_category() noexcept;
/// `code` in error_category().
std::error_code make_error_code(Errc code) noexcept;

/// The enumerator's own spelling, such as "not_found"; stable, used in JSON output.
std::string_view to_string(Errc code) noexcept;

/// True for the time-out codes: the four phase time-outs and deadline_exceeded.
bool is_timeout(Errc code) noexcept;

/// The phase of a request in which something happened.
enum class Phase {
  none,       ///< not tied to the network
  resolve,    ///< host name look-up
  connect,    ///< TCP connection
  handshake,  ///< TLS
  response,   ///< request sent, answer awaited or being read
  overall,    ///< the call as a whole: waiting, backing off, queueing
};
std::string_view to_string(Phase phase) noexcept;

/// One failure with its context. Built by chaining: `Failure(Errc::not_found, "no TPU …").with_hint("…")`. Texts from outside must be
/// passed through printable() (see base/text.hpp) before they are stored here.
class Failure {
 public:
  Failure() noexcept = default;
  Failure(Errc code, std::string what);
  Failure(const Failure& other);
  Failure(Failure&&) noexcept = default;
  Failure& operator=(const Failure& other) { return *this = Failure(other); }
  Failure& operator=(Failure&&) noexcept = default;
  ~Failure() = default;

  Errc code() const noexcept { return code_; }
  const std::string& what() const noexcept { return story().what; }      ///< the operation and what went wrong
  const std::string& target() const noexcept { return story().target; }  ///< the server or file: URL without query secrets, or path
  const std::string& hint() const noexcept { return story().hint; }  ///< how to fix it
  Phase phase() const noexcept { return phase_; }
  int attempts() const noexcept { return story().attempts; }  ///< requests sent; 0 when none was
  std::chrono::nanoseconds elapsed() const noexcept { return story().elapsed; }
  int last_status() const noexcept { return story().last_status; }  ///< last HTTP status; 0 when none arrived

  // clang-format off
  Failure& with_code(Errc code) & { code_ = code; return *this; }
  Failure& with_what(std::string what) & { own_story().what = std::move(what); return *this; }
  Failure& with_target(std::string target) & { own_story().target = std::move(target); return *this; }
  Failure& with_hint(std::string hint) & { own_story().hint = std::move(hint); return *this; }
  Failure& with_phase(Phase phase) & { phase_ = phase; return *this; }
  Failure& with_attempts(int attempts) & { own_story().attempts = attempts; return *this; }
  Failure& with_elapsed(std::chrono::nanoseconds elapsed) & { own_story().elapsed = elapsed; return *this; }
  Failure& with_last_status(int status) & { own_story().last_status = status; return *this; }

  Failure&& with_target(std::string target) && { return std::move(with_target(std::move(target))); }
  Failure&& with_hint(std::string hint) && { return std::move(with_hint(std::move(hint))); }
  Failure&& with_phase(Phase phase) && { return std::move(with_phase(phase)); }
  Failure&& with_attempts(int attempts) && { return std::move(with_attempts(attempts)); }
  Failure&& with_last_status(int status) && { return std::move(with_last_status(status)); }
  // clang-format on

  /// One line: the operation, the server, the number of attempts and the time, and the hint.
  std::string message() const;

 private:
  // Behind a pointer: every frame that awaits a Result has room for a Failure, and few receive one.
  struct Story {
    ~Story();
    int attempts = 0;
    int last_status = 0;
    std::chrono::nanoseconds elapsed{0};
    std::string what;
    std::string target;
    std::string hint;
  };
  const Story& story() const noexcept { return story_ ? *story_ : no_story(); }
  static const Story& no_story() noexcept;
  Story& own_story();

  Errc code_ = Errc::invalid_argument;
  Phase phase_ = Phase::none;
  std::unique_ptr<Story> story_;
};

/// Thrown by public awaitables. `code()` is in error_category(); `what()` is `failure().message()`.
class ResolveError : public std::system_error {
 public:
  explicit ResolveError(Failure failure);
  const Failure& failure() const noexcept { return failure_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  Failure failure_;
  std::string message_;
};

/// Throws ResolveError: called by boost::system::result for a Failure in Result<T>::value().
[[noreturn]] void throw_exception_from_error(const Failure& failure, const boost::source_location& where);

/// A value or a Failure. (In Boost 1.81 `error()` returns a copy.)
template <class T>
using Result = boost::system::result<T, Failure>;

}  // namespace rollcall

template <>
struct std::is_error_code_enum<rollcall::Errc> : std::true_type {};
