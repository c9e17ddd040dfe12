#include "command/session/session.hpp"

#include <fmt/format.h>

#include <array>
#include <asio/post.hpp>

#include "async/spawn.hpp"
#include "base/text.hpp"
#include "command/arguments/target_trust.hpp"
#include "command/arguments/texts.hpp"
#include "command/session/log_events.hpp"

namespace rollcall::serve {
namespace {

Failure refusal(std::string what, std::string hint = {}) {
  return Failure(Errc::invalid_argument, std::move(what)).with_hint(std::move(hint));
}

// The parameters of `initialize`, before its options are checked.
class Greeting {
 public:
  Greeting() {}
  SessionOptions* options = nullptr;
};

Result<void> put_protocol(Greeting&, const boost::json::value& value) {
  const Result<std::int64_t> number = read_whole(value, protocol_version, protocol_version);
  return number ? Result<void>() : number.error();
}

Result<void> put_options(Greeting& greeting, const boost::json::value& value) { return read_options(value, *greeting.options); }

constexpr ParamRow<Greeting> greeting_params[] = {{.name = "protocol", .apply = put_protocol, .is_required = true},
                                                  {.name = "options", .apply = put_options}};

Failure unknown_method(std::string_view name) {
  std::vector<std::string_view> names = {"initialize", "cancel", "more"};
  for (const MethodRow& row : methods()) names.push_back(row.name);
  return unknown_name("method", name, names);
}

std::string welcome() {
  return fmt::format(R"({{"protocol":{},"name":"rollcall","version":"{}","max_request_bytes":{},"max_requests":{}}})", protocol_version,
                     command::version(), max_request_bytes, max_requests);
}

}  // namespace

Session::Session(asio::any_io_executor executor, Outbox& outbox, SessionOptions given, OpenRuntime open, std::function<void()> on_over)
    : executor_(std::move(executor)), outbox_(outbox), options_(std::move(given)), open_(std::move(open)), on_over_(std::move(on_over)) {}

void Session::take(const Line& line) {
  if (is_ending_) return;
  if (line.is_too_long) {
    return refuse("null", RpcError::no_request,
                  Failure(Errc::limit_exceeded, fmt::format("the line is longer than {} bytes", max_request_bytes)));
  }
  const ReadMessage read = read_message(line.text);
  if (const BadLine* const bad = std::get_if<BadLine>(&read)) {
    // The client would take an answer with an id that is in use for the answer to the other request.
    return refuse(requests_.contains(bad->id) ? "null" : bad->id, bad->error, bad->failure);
  }
  take(std::get<Message>(read));
}

void Session::take(const Message& message) {
  if (!message.has_id()) return notify(message);
  if (requests_.contains(message.id))
    return refuse("null", RpcError::no_request,
                  refusal(fmt::format("id {} is in use", printable(message.id)), "give every request an id of its own"));
  if (message.method == "initialize") return initialize(message);
  if (!shared_) return refuse(message.id, RpcError::no_request, refusal("the session is not initialized", "initialize comes first"));
  if (message.method == "cancel" || message.method == "more")
    return refuse(message.id, RpcError::no_request,
                  refusal(fmt::format("{} is a notification: it has no id of its own", message.method), "params.id says what is meant"));
  const MethodRow* const method = find_method(message.method);
  if (!method) return refuse(message.id, RpcError::no_method, unknown_method(message.method));
  if (requests_.size() >= max_requests)
    return refuse(message.id, RpcError::failed,
                  Failure(Errc::limit_exceeded, fmt::format("{} requests are being answered: no more at a time", max_requests)));
  start(message, *method);
}

void Session::notify(const Message& message) {
  if (message.method == "cancel") return cancel(message);
  if (message.method == "more") return widen(message);
  const bool is_known = message.method == "initialize" || find_method(message.method);
  refuse("null", is_known ? RpcError::no_request : RpcError::no_method,
         is_known ? refusal(fmt::format("{} has no id: no answer could be sent", message.method)) : unknown_method(message.method));
}

void Session::cancel(const Message& message) {
  static constexpr std::array<std::string_view, 1> known = {"id"};
  const Result<std::string> id = read_id(message.params(), known);
  if (!id) return refuse("null", RpcError::bad_params, id.error());
  const auto found = requests_.find(*id);
  if (found != requests_.end()) found->second->signal.emit(asio::cancellation_type::terminal);
}

// The client accepts more events of a request. A request that has ended needs none.
void Session::widen(const Message& message) {
  static constexpr std::array<std::string_view, 2> known = {"id", "events"};
  const Result<std::string> id = read_id(message.params(), known);
  if (!id) return refuse("null", RpcError::bad_params, id.error());
  const boost::json::value* const events = message.params()->if_contains("events");
  const Result<std::int64_t> count = events ? read_whole(*events, 1, max_window) : Failure(Errc::invalid_argument, "is missing");
  if (!count) return refuse("null", RpcError::bad_params, about_param("events", count.error()));
  const auto found = requests_.find(*id);
  if (found == requests_.end()) return;
  Request& request = *found->second;
  if (!request.window)
    return refuse("null", RpcError::no_request,
                  refusal(fmt::format("request {} has no window", printable(*id)), "it is asked with window=N"));
  *request.window += static_cast<std::size_t>(*count);
  request.widened.wake();
}

void Session::refuse(std::string_view id, RpcError error, const Failure& failure, std::string_view target) {
  outbox_.put(error_line(id, error, failure, target));
}

void Session::initialize(const Message& message) {
  if (shared_) return refuse(message.id, RpcError::no_request, refusal("the session is initialized already"));
  Greeting greeting;
  SessionOptions options = options_;
  greeting.options = &options;
  // Another version of the protocol may have other parameters.
  const boost::json::value* const spoken = message.params() ? message.params()->if_contains("protocol") : nullptr;
  const std::int64_t* const number = spoken ? spoken->if_int64() : nullptr;
  if (number && *number != protocol_version) {
    refuse(message.id, RpcError::bad_params,
           refusal(fmt::format("protocol: {} is not spoken here, but {}", *number, protocol_version),
                   "the client and rollcall are of different versions: install those that belong together"));
    has_refused_ = true;
    return end();
  }
  const Result<void> read = read_params<Greeting>(greeting_params, message.params(), greeting);
  if (!read) return refuse(message.id, RpcError::bad_params, read.error());
  std::swap(options_, options);  // the opened objects refer to them
  std::shared_ptr<LogSink> log;
  if (options_.log != LogRecords::none) log = std::make_shared<LogEvents>(outbox_, options_.log == LogRecords::all);
  Result<Runtime> runtime = open_(options_, std::move(log));
  if (!runtime) {
    std::swap(options_, options);
    return refuse(message.id, RpcError::bad_params, runtime.error());
  }
  shared_.emplace(std::move(*runtime), options_.arguments, outbox_);
  outbox_.put(result_line(message.id, welcome()));
}

void Session::start(const Message& message, const MethodRow& method) {
  Question question;
  question.timeout = method.default_timeout;
  const Result<void> read = read_params<Question>(method.params, message.params(), question);
  if (!read) return refuse(message.id, RpcError::bad_params, read.error());
  for (const std::string& target : question.targets) {
    if (const Result<void> fine = command::check_trusted(target); !fine) return refuse(message.id, RpcError::bad_params, fine.error());
  }
  auto request = std::make_unique<Request>(message.id);
  if (question.targets.size() == 1) request->target = question.targets.front();
  Result<Answer> begun = method.begin(Asking(*shared_, *request), question);
  if (!begun) return refuse(message.id, RpcError::bad_params, begun.error(), request->target);
  Request& kept = *requests_.emplace(message.id, std::move(request)).first->second;
  spawn_result(executor_, std::move(*begun), kept.signal.slot(), "the request",
               [this, &kept](Result<std::string> result) { answer(kept, result); });
}

void Session::answer(Request& request, const Result<std::string>& result) {
  const std::string more = result || request.progress.empty() ? std::string() : ",\"progress\":" + request.progress;
  outbox_.settle(request.slot, result ? result_line(request.id, *result)
                                      : error_line(request.id, RpcError::failed, result.error(), request.target, more));
  // The signal must outlive its handler, which is running now.
  auto node = requests_.extract(request.id);
  asio::post(executor_, [ended = std::move(node)] {});
  conclude();
}

void Session::finish() {
  is_ending_ = true;
  conclude();
}

void Session::end() {
  is_ending_ = true;
  std::vector<Request*> all;  // a request that ends at once is removed from the map
  for (const auto& [id, request] : requests_) all.push_back(request.get());
  for (Request* const request : all) request->signal.emit(asio::cancellation_type::terminal);
  conclude();
}

void Session::conclude() {
  if (!is_ending_ || !requests_.empty()) return;
  if (on_over_) std::exchange(on_over_, nullptr)();
}

}  // namespace rollcall::serve
