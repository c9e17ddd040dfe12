// The memory of a waiting connection of the HTTP server: waiting for the next request, or for news in a stream; plain and with TLS. The
// clients are another process. Resident memory of the server, for each of ten thousand.
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <asio/io_context.hpp>
#include <cstdlib>
#include <string>

#include "async/async_event.hpp"
#include "count_allocations.hpp"
#include "measure.hpp"
#include "net/server/http_server.hpp"
#include "sim/serve/authority.hpp"

namespace {

using namespace rollcall;

constexpr int connections = 10'000;

// A follower, as in the service: one coroutine that waits for news, its next heartbeat, or the client's end.
asio::awaitable<void> answer(std::shared_ptr<TimerQueue> timers, ServerExchange& exchange) {
  HttpResponse head;
  head.status = 200;
  if (exchange.request().target != "/follow") {
    co_await exchange.reply(head);
    co_return;
  }
  AsyncEvent news;
  const ClosedWatch watch(exchange, news);
  bool is_there = co_await exchange.start_chunks(head);
  if (is_there) is_there = co_await exchange.write_chunk("event: beat\n\n");
  while (is_there && !exchange.is_closed()) {
    Timer heartbeat;
    heartbeat.set(
        *timers, timers->now() + std::chrono::hours(1), [](void* event) noexcept { static_cast<AsyncEvent*>(event)->wake(); }, &news);
    is_there = co_await news.wait();
  }
}

// Opens one connection and reads until the answer, or the first chunk, has arrived.
void connect_one(std::uint16_t port, const std::string& request, SSL_CTX* tls) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::abort();
  SSL* const ssl = tls ? SSL_new(tls) : nullptr;
  if (ssl && (SSL_set_fd(ssl, socket) != 1 || SSL_connect(ssl) != 1)) std::abort();
  const auto size = static_cast<int>(request.size());
  const bool is_sent = ssl ? SSL_write(ssl, request.data(), size) == size : ::send(socket, request.data(), request.size(), 0) == size;
  std::string heard;
  while (is_sent && heard.find(request.find("follow") != std::string::npos ? "beat" : "\r\n\r\n") == std::string::npos) {
    char bytes[1024];
    const auto n = ssl ? SSL_read(ssl, bytes, sizeof bytes) : ::recv(socket, bytes, sizeof bytes, 0);
    if (n <= 0) std::abort();
    heard.append(bytes, static_cast<std::size_t>(n));
  }
  // Nothing is freed: the process ends.
}

void measure(const char* what, const std::string& target, bool is_tls) {
  asio::io_context io{1};
  const auto timers = std::make_shared<TimerQueue>(system_time(), io.get_executor());
  HttpServer server(
      io.get_executor(), [timers](ServerExchange& exchange) { return answer(timers, exchange); }, ServerLimits(), system_time());
  const auto authority = sim::Authority::create().value();
  HttpServer::TlsChooser chooser;
  if (is_tls) chooser = [authority](std::string_view name) { return authority->context_for(name); };
  const std::uint16_t port = server.listen("127.0.0.1", 0, chooser).value();
  const std::string request = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nUser-Agent: bench\r\n\r\n";
  const pid_t child = ::fork();
  if (child == 0) {
    SSL_CTX* const tls = is_tls ? SSL_CTX_new(TLS_client_method()) : nullptr;
    for (int i = 0; i < connections; ++i) connect_one(port, request, tls);
    ::pause();
    std::_Exit(0);
  }
  const auto run_to = [&](std::uint64_t count) {
    while (server.requests() < count) io.run_one();
    io.poll();
  };
  constexpr int warm = 100;
  run_to(warm);
  const long before = bench::resident_kb(), heap_before = bench::heap_kb();
  run_to(connections);
  const double each = 1024.0 / (connections - warm);
  std::printf("%-24s %6.1f kB resident, %6.1f kB heap a connection\n", what,
              static_cast<double>(bench::resident_kb() - before) * each / 1024,
              static_cast<double>(bench::heap_kb() - heap_before) * each / 1024);
  std::fflush(stdout);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace

int main() {
  for (const bool is_tls : {false, true}) {
    for (const char* const target : {"/idle", "/follow"}) {
      const pid_t server = ::fork();
      if (server == 0) {
        measure(std::string(is_tls ? "TLS, " : "plain, ").append(target + 1).c_str(), target, is_tls);
        std::_Exit(0);
      }
      int status = 0;
      if (::waitpid(server, &status, 0) != server || status != 0) return 1;
    }
  }
  return 0;
}
