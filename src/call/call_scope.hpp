// The boundary of all public calls: switch to the Runtime's executor, deadline, cancellation, tracing, conversion of errors.
//
// Decision: each public call is one co_spawn with a cancellation signal of its own, also when the caller is on the Runtime's executor
// already. The deadline, close() and the caller's cancellation then emit the same signal, and all operations that the script awaits, a
// user's own Asio operations included, end by Asio's cancellation. Price: one co_spawn a call.
#pragma once

#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/bind_executor.hpp>
#include <asio/dispatch.hpp>
#include <asio/use_awaitable.hpp>
#include <new>
#include <optional>

#include "async/spawn.hpp"
#include "call/runtime_impl.hpp"
#include "rollcall/call.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

class ClusterResolver;

/// The subject of the call, for messages and events; formatted only when one of them needs it.
class CallSubject {
 public:
  CallSubject(std::string text) : text_(std::move(text)) {}
  CallSubject(const char* text) : text_(text) {}
  /// `resolver` must outlive the call; its script holds it.
  CallSubject(const ClusterResolver& resolver, std::string_view member) : resolver_(&resolver), member_(member) {}
  /// A call by which a service follows `source`.
  static CallSubject of_source(const std::string& source, std::string_view operation);
  std::string text() const;
  std::string_view source() const noexcept { return std::string_view(text_).substr(0, source_bytes_); }

 private:
  std::string text_;
  std::size_t source_bytes_ = 0;  // the source begins the text
  const ClusterResolver* resolver_ = nullptr;
  std::string_view member_;
};

class CallScope final : public OpenOperation, public std::enable_shared_from_this<CallScope> {
 public:
  CallScope(std::shared_ptr<Runtime::Impl> runtime, const CallOptions& options, CallSubject subject)
      : call(runtime, options), subject_(std::move(subject)), runtime_(std::move(runtime)) {}

  Call call;
  asio::cancellation_signal signal;

  /// Runs on the Runtime's executor. Returns a failure if the call cannot start.
  std::optional<Failure> begin();
  /// Converts the script's failure to the call's; `error`: the exception that the script ended with, if any.
  Failure conclude(std::optional<Failure> failure, const std::error_code& error);
  void end(const Failure* failure);
  Failure memory_failure() const;

  /// The caller's cancellation; may come from any thread.
  void cancel_from_outside();
  void abandon() override { stop(is_cancelled_); }

 private:
  void stop(bool& why);

  void emit(EventKind kind, const Failure* failure);

  CallSubject subject_;
  std::shared_ptr<Runtime::Impl> runtime_;
  Timer timer_;
  bool is_cancelled_ = false;
  bool is_ended_ = false;
  bool is_reported_ = false;  // the log wants its events
};

template <class T, class Script>
asio::awaitable<void> run_in_scope(std::shared_ptr<CallScope> scope, Script script, std::optional<Result<T>>& result) {
  std::optional<Failure> refused = scope->begin();
  if (refused) {
    result.emplace(std::move(*refused));
    co_return;
  }
  std::error_code error;
  bool is_out_of_memory = false;
  try {
    Result<T> value = co_await script(scope->call);
    result.emplace(std::move(value));
  } catch (const std::system_error& thrown) {
    error = thrown.code();
  } catch (const std::bad_alloc&) {
    is_out_of_memory = true;
  } catch (...) {
    scope->end(nullptr);  // here: the scope may be destroyed on the caller's executor
    throw;
  }
  if (is_out_of_memory) result.emplace(scope->memory_failure());
  if (!result || result->has_error()) {
    std::optional<Failure> failure;
    if (result) failure = result->error();
    result.emplace(scope->conclude(std::move(failure), error));
    const Failure concluded = result->error();
    scope->end(&concluded);
  } else {
    scope->end(nullptr);
  }
}

/// `script(Call&)` is an awaitable<Result<T>> that owns, or is outlived by, everything it refers to. Not a coroutine: saves a frame per
/// call.
template <class T, class Script>
asio::awaitable<Result<T>> run_call(std::shared_ptr<Runtime::Impl> runtime, CallOptions options, CallSubject subject, Script script) {
  auto initiate = [runtime = std::move(runtime), options = std::move(options), subject = std::move(subject),
                   script = std::move(script)](auto handler) mutable {
    const auto scope = std::make_shared<CallScope>(runtime, options, std::move(subject));
    auto slot = asio::get_associated_cancellation_slot(handler);
    if (slot.is_connected()) {
      slot.assign([weak = std::weak_ptr<CallScope>(scope)](asio::cancellation_type) {
        if (const auto alive = weak.lock()) alive->cancel_from_outside();
      });
    }
    auto executor = asio::get_associated_executor(handler, runtime->executor);
    // The signal must outlive the handler that is bound to its slot.
    auto done = [scope, handler = std::move(handler)](std::exception_ptr error, Result<T> result) mutable {
      std::move(handler)(std::move(error), std::move(result));
    };
    auto work_into = [&](std::optional<Result<T>>& result) { return run_in_scope<T>(scope, std::move(script), result); };
    spawn_into<Result<T>>(runtime->executor, work_into, scope->signal.slot(), asio::bind_executor(std::move(executor), std::move(done)));
  };
  return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, Result<T>)>(std::move(initiate), asio::use_awaitable);
}

// Converts a Result to a value or an exception; used only at the public boundary.
template <class T>
T value_or_throw(Result<T> result) {
  if (result.has_error()) throw ResolveError(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

template <class T>
asio::awaitable<T> value_or_throw(asio::awaitable<Result<T>> attempt) {
  Result<T> result = co_await std::move(attempt);
  if (result.has_error()) throw ResolveError(result.error());
  if constexpr (!std::is_void_v<T>) co_return std::move(*result);
}

}  // namespace rollcall
