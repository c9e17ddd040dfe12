// `rollcall serve`: a session over standard input and output.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <csignal>
#include <map>

#include "async/spawn.hpp"
#include "command/arguments/command_table.hpp"
#include "command/process/command_runtime.hpp"
#include "command/process/own_environment.hpp"
#include "command/session/log_events.hpp"
#include "command/session/session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "command/terminal/signals.hpp"
#include "command/terminal/standard_streams.hpp"
#include "json/json_text.hpp"

namespace rollcall::command {
namespace {

using serve::Session;
using serve::SessionOptions;

// The end must not wait without limit for a client that keeps the pipe open and does not read.
constexpr auto patience_at_end = std::chrono::seconds(10);

using Variables = std::map<std::string, std::string, std::less<>>;

// Prohibitions of the process's own environment stay: a client may add further ones, but remove none.
Variables with_prohibitions(Variables given, const Environment& own) {
  const std::string plugins = own.get("ROLLCALL_EXEC_PLUGINS").value_or("");
  if (!plugins.empty() && plugins != "always") given["ROLLCALL_EXEC_PLUGINS"] = plugins;
  constexpr const char* executables = "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES";
  if (own.get(executables) != "1") given.erase(executables);
  return given;
}

class Server {
 public:
  explicit Server(Arguments arguments)
      : io_(1), input_(io_.get_executor(), STDIN_FILENO, O_RDONLY), output_(io_.get_executor(), STDOUT_FILENO, O_WRONLY),
        signals_(io_.get_executor(), {SIGTERM, SIGHUP, SIGQUIT}), last_wait_(io_.get_executor()),
        session_(
            io_.get_executor(), outbox_, session_options(std::move(arguments)),
            [this](const SessionOptions& options, std::shared_ptr<LogSink> log) { return open(options, std::move(log)); },
            [this] { start_closing(); }) {}

  int run() {
    if (!input_.is_open() || !output_.is_open()) {
      complain("serve: standard input and output cannot be used: too many descriptors are open (ulimit -n)");
      return exit_failed;
    }
    std::signal(SIGINT, SIG_IGN);  // a terminal sends it to the client, too, which decides
    if (signals_.open()) signals_.listen([this](ArrivedSignal) { end(); });
    output_.when_reader_goes([this] { abandon(); });
    spawn(io_.get_executor(), read_lines(), reading_.slot(), [](std::exception_ptr) {});
    asio::co_spawn(io_, write_lines(), asio::detached);
    io_.run();
    return session_.has_refused() ? exit_failed : exit_answered;
  }

 private:
  static SessionOptions session_options(Arguments arguments) {
    SessionOptions options;
    options.arguments = std::move(arguments);
    options.rows = session_option_rows();
    return options;
  }

  Result<Runtime> open(const SessionOptions& given, std::shared_ptr<LogSink> log) {
    const Result<void> identified = check_identity(given.arguments);
    if (!identified) return identified.error();
    const std::shared_ptr<const Environment> own = own_environment();
    const std::shared_ptr<const Environment> environment =
        given.environment ? fixed_environment(with_prohibitions(*given.environment, *own)) : own;
    RuntimeOptions options = runtime_options_of(given.arguments, environment, io_.get_executor(), [log](const std::string& warning) {
      std::string record = R"({"event":"message")";
      append_json_field(record, "message", warning);
      if (log) static_cast<serve::LogEvents&>(*log).send(record + "}");
    });
    if (!given.arguments.token_file.empty()) options.credentials = token_file(given.arguments.token_file);
    options.log = std::move(log);
    return Runtime(io_.get_executor(), std::move(options));
  }

  asio::awaitable<void> read_lines() {
    serve::LineReader lines(serve::max_request_bytes);
    std::array<char, 65536> piece;
    while (!session_.is_ending()) {
      const std::size_t count = co_await input_.read(piece);
      if (count == 0) lines.finish();
      lines.feed(std::string_view(piece.data(), count));
      for (auto line = lines.next(); line; line = lines.next()) {
        session_.take(*line);
        const bool has_room = co_await outbox_.until_room_for_answers();
        if (!has_room) co_return;
      }
      if (count > 0) continue;
      // The end of a pipe means that the client has gone; the end of a file only that there are no more requests.
      if (input_.is_file()) {
        session_.finish();
      } else {
        session_.end();
      }
    }
  }

  asio::awaitable<void> write_lines() {
    for (;;) {
      if (outbox_.is_empty() && is_closing_) break;
      const bool woken = co_await outbox_.until_filled();
      if (!woken) break;
      const std::string text = outbox_.take();
      for (std::string_view rest = text; !rest.empty();) {
        const std::size_t count = co_await output_.write(rest);
        if (count == 0) co_return abandon();
        rest.remove_prefix(count);
        outbox_.written(count);
      }
    }
    stop();
  }

  // Same as the end of the input.
  void end() {
    stop_reading();
    session_.end();
  }

  void stop_reading() {
    input_.close();
    reading_.emit(asio::cancellation_type::terminal);
  }

  // The client does not read any more.
  void abandon() {
    is_abandoned_ = true;
    output_.close();
    end();
    if (is_closing_) stop();
  }

  // All requests are answered; the rest of the output is still to be written.
  void start_closing() {
    is_closing_ = true;
    stop_reading();
    if (session_.shared()) asio::co_spawn(io_, close_runtime(session_.shared()->runtime), asio::detached);
    outbox_.wake_writer();  // it may be waiting with nothing to write
    if (is_abandoned_) return stop();
    last_wait_.expires_after(patience_at_end);
    last_wait_.async_wait([this](const std::error_code& error) {
      if (!error) abandon();
    });
  }

  static asio::awaitable<void> close_runtime(Runtime runtime) { co_await runtime.close(); }

  void stop() {
    output_.close();
    last_wait_.cancel();
    signals_.stop();
    io_.stop();  // an unused timer of the Runtime must not delay the end
  }

  asio::cancellation_signal reading_;  // this object and the outbox outlive the coroutines, which the loop's end destroys
  serve::Outbox outbox_;
  asio::io_context io_;
  StandardStream input_;
  StandardStream output_;
  SignalQueue signals_;
  asio::steady_timer last_wait_;
  Session session_;
  bool is_closing_ = false;
  bool is_abandoned_ = false;
};

}  // namespace

int run_serve(Arguments arguments) {
  if (!arguments.is_stdio) return run_fleet_service(arguments);
  const bool has_settings = !arguments.config_file.empty() || !arguments.listen.empty() || !arguments.xds_listen.empty() ||
                            !arguments.allow.empty() || arguments.is_check;
  if (has_settings || arguments.is_verbose || arguments.log != LogForm::none) {
    return refuse(Failure(Errc::invalid_argument,
                          "--config, --listen, --xds-listen, --allow, --check, --verbose and --log go with a service, not with --stdio"),
                  exit_usage);
  }
  Server server(std::move(arguments));
  return server.run();
}

}  // namespace rollcall::command
