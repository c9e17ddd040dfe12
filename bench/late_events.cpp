// late_events PORT LISTS whole|pieces: a stream of events of the stub, which say when they were sent, beside so many lists that are read at
// once. Prints a line of JSON: how late the latest event arrived meanwhile. The authority's file is BENCH_CA of the environment.
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/this_coro.hpp>
#include <cstring>
#include <string>

#include "async/timer_queue.hpp"
#include "measure.hpp"
#include "net/http/http_transport.hpp"

namespace {

using namespace std::chrono_literals;

struct Reader {
  std::shared_ptr<rollcall::HttpTransport> http;
  std::string root;
  int lists = 0;
  bool in_pieces = false;
  int lists_left = 0;
  int failed = 0;
  int events = 0;
  double latest_ms = 0;

  rollcall::HttpRequest request(const std::string& path) const { return rollcall::HttpRequest(rollcall::Url::parse(root + path).value()); }
};

asio::awaitable<bool> read_whole(rollcall::HttpStream& stream) {
  for (;;) {
    const rollcall::Result<std::string_view> piece = co_await stream.read();
    if (!piece) co_return false;
    if (piece->empty()) co_return true;
  }
}

asio::awaitable<void> read_list(Reader& reader) {
  const rollcall::HttpRequest request = reader.request("/api/v1/namespaces/train/pods");
  rollcall::ExchangeOptions options;
  bool is_good = false;
  if (reader.in_pieces) {
    const rollcall::Result<std::unique_ptr<rollcall::HttpStream>> opened = co_await reader.http->open(request, options);
    if (opened) is_good = co_await read_whole(**opened);
  } else {
    const rollcall::Result<rollcall::HttpResponse> answer = co_await reader.http->send(request, options);
    is_good = answer && answer->status == 200;
  }
  --reader.lists_left;
  if (!is_good) ++reader.failed;
}

// The lists begin after some events.
asio::awaitable<void> read_events(Reader& reader) {
  const rollcall::HttpRequest request = reader.request("/events");
  rollcall::ExchangeOptions options;
  options.is_watch = true;
  const rollcall::Result<std::unique_ptr<rollcall::HttpStream>> opened = co_await reader.http->open(request, options);
  if (!opened) co_return;
  const auto executor = co_await asio::this_coro::executor;
  std::string text;
  bool has_begun = false;
  while (!has_begun || reader.lists_left > 0) {
    const rollcall::Result<std::string_view> piece = co_await (*opened)->read();
    if (!piece || piece->empty()) co_return;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    text += *piece;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
      const std::chrono::nanoseconds late = now - std::chrono::nanoseconds(std::atoll(text.c_str()));
      text.erase(0, end + 1);
      ++reader.events;
      if (has_begun) reader.latest_ms = std::max(reader.latest_ms, std::chrono::duration<double, std::milli>(late).count());
    }
    if (has_begun || reader.events < 20) continue;
    has_begun = true;
    reader.lists_left = reader.lists;
    for (int i = 0; i < reader.lists; ++i) asio::co_spawn(executor, read_list(reader), asio::detached);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* const authority = std::getenv("BENCH_CA");
  if (argc < 4 || !authority) return 2;
  asio::io_context io(1);
  rollcall::NetworkOptions network;
  network.ca_file = authority;
  network.proxy = rollcall::ProxySettings();
  Reader reader;
  reader.http = rollcall::make_http_transport(io.get_executor(),
                                              std::make_shared<rollcall::TimerQueue>(rollcall::system_time(), io.get_executor()), network);
  reader.root = "https://127.0.0.1:" + std::string(argv[1]);
  reader.lists = std::atoi(argv[2]);
  reader.in_pieces = std::strcmp(argv[3], "pieces") == 0;
  asio::co_spawn(io, read_events(reader), asio::detached);
  io.run();
  std::printf("{\"late_ms\":%.3f,\"events\":%d}\n", reader.latest_ms, reader.events);
  return reader.failed == 0 && reader.lists_left == 0 && reader.events > 20 ? 0 : 1;
}
