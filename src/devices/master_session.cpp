#include "devices/device_query.hpp"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include "async/async_event.hpp"
#include "async/spawn.hpp"
#include "base/exceptions.hpp"
#include "base/saturating.hpp"
#include "call/rpc_client.hpp"
#include "call/runtime_impl.hpp"
#include "devices/wire/device_wire.hpp"

namespace rollcall {
namespace {

// How long after the call the closing of a session, or the wait for an abandoned one, may last.
constexpr Duration max_closing_time = std::chrono::seconds(1);

// The state shared by the call and the coroutine that owns the session. The owner is not cancelled with the call, since only the session's
// handle allows closing it.
class Session {
 public:
  Session(std::shared_ptr<Runtime::Impl> owner, RpcRequest create) : runtime(std::move(owner)), request(std::move(create)) {}
  std::shared_ptr<Runtime::Impl> runtime;
  RpcRequest request;
  SteadyTime deadline{};
  std::optional<Result<RpcAnswer>> created;
  std::string handle;
  bool is_left = false;
  AsyncEvent* event = nullptr;
  asio::cancellation_signal signal;  // ends the wait for a session that is no longer needed
  Timer timer;
};

asio::awaitable<void> close_session(std::shared_ptr<Session> session) {
  RpcRequest request(session->request.address, rpc_path("Master", "CloseSession"));
  request.is_tls = session->request.is_tls;
  request.message = close_session_request(session->handle);
  RpcOptions options;
  options.deadline = saturating_sum(session->runtime->time->now(), max_closing_time);
  // A session that no longer exists counts as closed.
  const Result<RpcAnswer> closed = co_await session->runtime->rpc->call(request, options);
  static_cast<void>(closed);
}

// A caller that lost an answer asks again [facts: tf-query-retries]: then the server may create another session, which it removes later.
asio::awaitable<void> create_session(std::shared_ptr<Session> session) {
  RpcOptions options;
  options.deadline = session->deadline;
  Result<RpcAnswer> answer = co_await session->runtime->rpc->call(session->request, options);
  if (answer && answer->status == RpcStatus::ok) {
    Result<std::string> handle = parse_create_session_response(answer->message);
    if (handle) session->handle = std::move(*handle);
    if (!handle) answer = handle.error();
  }
  if (session->is_left && !session->handle.empty()) co_await close_session(session);
  session->created = std::move(answer);
  if (session->event) session->event->wake();
}

// In the frame of the call.
class SessionUser {
 public:
  explicit SessionUser(std::shared_ptr<Session> used) : session(std::move(used)) { session->event = &event; }
  ~SessionUser() {
    session->event = nullptr;
    session->is_left = true;
    if (!session->created) {
      const SteadyTime until = saturating_sum(session->runtime->time->now(), max_closing_time);
      session->timer.set(
          *session->runtime->timers, until,
          [](void* left) noexcept { static_cast<Session*>(left)->signal.emit(asio::cancellation_type::terminal); }, session.get());
    }
    if (session->handle.empty() || session->runtime->is_closed) return;
    asio::co_spawn(session->runtime->executor, close_session(session), asio::detached);
  }
  SessionUser(const SessionUser&) = delete;
  SessionUser& operator=(const SessionUser&) = delete;
  std::shared_ptr<Session> session;
  AsyncEvent event;
};

}  // namespace

asio::awaitable<Result<std::vector<DeviceAttributes>>> list_devices_in_session(Call& call, const DeviceQuestion& question,
                                                                               const ClusterSpec& cluster, SteadyTime deadline) {
  Runtime::Impl& impl = impl_of(call);
  RpcRequest create(question.master, rpc_path("Master", "CreateSession"));
  create.is_tls = question.is_tls;
  create.message = create_session_request(question.url, cluster);
  SessionUser user(std::make_shared<Session>(impl.shared_from_this(), std::move(create)));
  user.session->deadline = std::min(deadline, call.deadline());
  auto on_done = [session = user.session](std::exception_ptr error) {
    if (!error || session->created) return;
    session->created = failure_of_thrown(std::move(error), session->request.address);
    if (session->event) session->event->wake();
  };
  spawn(impl.executor, create_session(user.session), user.session->signal.slot(), std::move(on_done));
  if (!user.session->created) {
    const bool woken = co_await user.event.wait();
    if (!woken) co_return Failure(Errc::cancelled, "cancelled while a session was made").with_target(question.master);
  }
  Result<std::string> created = rpc_message(user.session->request, *user.session->created);
  if (!created) co_return created.error();
  RpcRequest list(question.master, rpc_path("Master", "ListDevices"));
  list.is_tls = question.is_tls;
  list.message = list_devices_request(user.session->handle);
  Result<std::string> bytes = co_await rpc_send(call, list, deadline);
  if (!bytes) co_return bytes.error();
  Result<DeviceLists> lists = parse_list_devices_response(*bytes);
  if (!lists) co_return lists.error();
  co_return std::move(*lists).all();
}

}  // namespace rollcall
