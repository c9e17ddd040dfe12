// The cloud that all contenders of scripts/bench ask: nodes.get for any name, an instance group, and a namespace of pods, whole or in
// pages. It uses Asio alone, so that it is not the bottleneck, and counts its requests.
//
// stub [--delay MS | --drip] [--round-trip MS [--slow-start]] [--apart] [--pods N] [--discovery FILE] [--tls FILE [--http2]] prints its
// port. With --tls it speaks https, and FILE is written: the certificate of its authority; with --http2 also HTTP/2. A line on its standard
// input is answered by `REQUESTS CPU_SECONDS HANDSHAKES RESUMED`, all since the line before; its end ends the stub. --delay is the time of
// each answer, with --drip it is 20 to 80 ms at random; --round-trip is that of the path, which the handshakes take, too, with --slow-start
// also what does not fit into TCP's first windows. With --apart, header and body are two packets, and a turn of the loop lies between them.
#include <array>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/read.hpp>
#include <asio/read_until.hpp>
#include <asio/redirect_error.hpp>
#include <asio/ssl/context.hpp>
#include <asio/ssl/stream.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "answer_delay.hpp"
#include "compute_bytes.hpp"
#include "delay_line.hpp"
#include "http2_answers.hpp"
#include "measure.hpp"
#include "node_bytes.hpp"
#include "pod_bytes.hpp"
#include "sim/serve/authority.hpp"

namespace {

using namespace bench;
using asio::ip::tcp;

struct Settings {
  AnswerDelay delay;
  std::chrono::milliseconds round_trip{0};
  bool starts_slowly = false;
  bool offers_http2 = false;
  bool is_apart = false;
  std::string discovery;  // of the Cloud TPU API, for clients that read it first
  std::vector<std::string> pods;  // in the order of their names
  std::string all_pods;  // a list of them
};

struct Stub {
  Settings settings;
  std::shared_ptr<rollcall::sim::Authority> authority;
  std::optional<asio::ssl::context> tls;
  int handshakes = 0;
  int resumed = 0;
  std::uint64_t requests = 0;
};

std::string list_of_pods(const std::vector<std::string>& pods, std::size_t first, std::size_t limit) {
  const std::size_t end = std::min(pods.size(), first + limit);
  std::string text = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"88700")";
  if (end < pods.size()) text += fmt::format(R"(,"continue":"{}","remainingItemCount":{})", end, pods.size() - end);
  text += R"(},"items":[)";
  for (std::size_t i = first; i < end; ++i) text += (i > first ? "," : "") + pods[i];
  return text + "]}";
}

// A number among the words of a query; `otherwise` without it.
std::size_t number(std::string_view target, std::string_view key, std::size_t otherwise) {
  const std::size_t at = target.find(key);
  return at == std::string_view::npos ? otherwise : static_cast<std::size_t>(std::atoll(target.data() + at + key.size()));
}

std::string answer_to(const Settings& settings, std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (const std::size_t at = path.rfind("/nodes/"); at != std::string_view::npos) return node_json(path.substr(at + 7));
  if (path.find("/instance") != std::string_view::npos) return compute_answer(target);
  if (path.find("discovery") != std::string_view::npos) return settings.discovery;
  if (path.find("/jobs/") != std::string_view::npos || path.find("/jobsets/") != std::string_view::npos)
    return workload_text(path, static_cast<int>(settings.pods.size()));
  const std::size_t limit = number(target, "limit=", 0);
  if (limit == 0) return settings.all_pods;
  return list_of_pods(settings.pods, number(target, "continue=", 0), limit);
}

// The body after the head of a request: only a POST has one here.
std::size_t body_size(std::string_view head) {
  if (!head.starts_with("POST")) return 0;
  return number(head, head.find("content-length: ") == std::string_view::npos ? "Content-Length: " : "content-length: ", 0);
}

template <class Connection>
asio::awaitable<void> serve(Connection socket, Stub& stub) {
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor);
  std::string received;
  std::error_code error;
  for (;;) {
    const std::size_t size = co_await asio::async_read_until(socket, asio::dynamic_buffer(received), "\r\n\r\n",
                                                             asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
    const std::size_t begin = received.find(' ') + 1;
    const std::string body = answer_to(stub.settings, std::string_view(received).substr(begin, received.find(' ', begin) - begin));
    const std::size_t whole = size + body_size(std::string_view(received).substr(0, size));
    if (received.size() < whole) {
      const std::size_t missing = whole - received.size();
      co_await asio::async_read(socket, asio::dynamic_buffer(received), asio::transfer_exactly(missing),
                                asio::redirect_error(asio::use_awaitable, error));
      if (error) co_return;
    }
    received.erase(0, whole);
    ++stub.requests;
    std::string head =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\nVary: Origin\r\nServer: stub\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n";
    if (!stub.settings.delay.is_none()) {
      timer.expires_after(stub.settings.delay.next());
      co_await timer.async_wait(asio::use_awaitable);
    }
    if (stub.settings.is_apart) {
      co_await asio::async_write(socket, asio::buffer(head), asio::redirect_error(asio::use_awaitable, error));
      co_await asio::post(executor, asio::use_awaitable);
    } else {
      const std::array<asio::const_buffer, 2> both{asio::buffer(head), asio::buffer(body)};
      co_await asio::async_write(socket, both, asio::redirect_error(asio::use_awaitable, error));
      continue;
    }
    co_await asio::async_write(socket, asio::buffer(body), asio::redirect_error(asio::use_awaitable, error));
  }
}

bool is_http2(SSL* ssl) {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl, &name, &size);
  return size == 2;
}

template <class Socket>
asio::awaitable<void> serve_tls(Socket socket, Stub& stub) {
  asio::ssl::stream<Socket> connection(std::move(socket), *stub.tls);
  std::error_code error;
  co_await connection.async_handshake(asio::ssl::stream_base::server, asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return;
  ++stub.handshakes;
  stub.resumed += SSL_session_reused(connection.native_handle());
  if (is_http2(connection.native_handle())) {
    const auto answer = [&stub](std::string_view path) {
      ++stub.requests;
      return answer_to(stub.settings, path);
    };
    const auto http2 = std::make_shared<Http2Answers<asio::ssl::stream<Socket>>>(std::move(connection), stub.settings.delay, answer);
    co_await http2->run();
  } else {
    co_await serve(std::move(connection), stub);
  }
}

// A chosen protocol, as real servers answer.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* offered, unsigned offered_size, void* stub) {
  static constexpr unsigned char ours[] = "\x02h2\x08http/1.1";
  const unsigned skipped = static_cast<const Stub*>(stub)->settings.offers_http2 ? 0 : 3;
  unsigned char* chosen = nullptr;
  const int found = SSL_select_next_proto(&chosen, size, ours + skipped, sizeof ours - 1 - skipped, offered, offered_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

void speak_tls(Stub& stub, const std::string& file) {
  stub.authority = rollcall::sim::Authority::create().value();
  SSL_CTX* const context = stub.authority->context_for({});
  SSL_CTX_up_ref(context);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, &stub);
  stub.tls.emplace(context);
  std::ofstream(file) << stub.authority->pem();
}

template <class Socket>
void start_to_serve(Socket socket, Stub& stub) {
  const auto executor = socket.get_executor();
  auto served = stub.tls ? serve_tls(std::move(socket), stub) : serve(std::move(socket), stub);
  asio::co_spawn(executor, std::move(served), asio::detached);
}

asio::awaitable<void> accept_all(tcp::acceptor& acceptor, Stub& stub) {
  for (;;) {
    std::error_code error;
    tcp::socket socket = co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (error) continue;
    socket.set_option(tcp::no_delay(true));
    if (stub.settings.round_trip.count() > 0) {
      start_to_serve(delay(std::move(socket), stub.settings.round_trip, stub.settings.starts_slowly), stub);
    } else {
      start_to_serve(std::move(socket), stub);
    }
  }
}

asio::awaitable<void> answer_driver(asio::io_context& io, Stub& stub) {
  asio::posix::stream_descriptor input(io, STDIN_FILENO);
  std::uint64_t requests = 0;
  double cpu = cpu_seconds();
  for (;;) {
    char byte = 0;
    std::error_code error;
    co_await input.async_read_some(asio::buffer(&byte, 1), asio::redirect_error(asio::use_awaitable, error));
    if (error) break;
    if (byte != '\n') continue;
    const double now = cpu_seconds();
    std::printf("%llu %.6f %d %d\n", static_cast<unsigned long long>(stub.requests - std::exchange(requests, stub.requests)),
                now - std::exchange(cpu, now), std::exchange(stub.handshakes, 0), std::exchange(stub.resumed, 0));
  }
  io.stop();
}

void make_pods(Settings& settings, int count) {
  std::map<std::string, std::string> by_name;
  for (int i = 0; i < count; ++i) {
    std::string text = pod_text(i, false);
    by_name.emplace(text.substr(0, 80), std::move(text));
  }
  for (auto& [name, text] : by_name) settings.pods.push_back(std::move(text));
  settings.all_pods = list_of_pods(settings.pods, 0, settings.pods.size());
}

// The document with our own root in place of Google's.
std::string discovery_of(const std::string& file, std::uint16_t port) {
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string google = "https://tpu.googleapis.com/", ours = "http://127.0.0.1:" + std::to_string(port) + "/";
  for (std::size_t at = text.find(google); at != std::string::npos; at = text.find(google, at + ours.size())) {
    text.replace(at, google.size(), ours);
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  asio::io_context io(1);
  Stub stub;
  tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), 0}, true);
  acceptor.listen(4096);
  const std::uint16_t port = acceptor.local_endpoint().port();
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--delay") stub.settings.delay = AnswerDelay(std::atoi(value), std::atoi(value));
    if (word == "--drip") stub.settings.delay = AnswerDelay(20, 80);
    if (word == "--slow-start") stub.settings.starts_slowly = true;
    if (word == "--round-trip") stub.settings.round_trip = std::chrono::milliseconds(std::atoi(value));
    if (word == "--http2") stub.settings.offers_http2 = true;
    if (word == "--apart") stub.settings.is_apart = true;
    if (word == "--pods") make_pods(stub.settings, std::atoi(value));
    if (word == "--tls") speak_tls(stub, value);
    if (word == "--discovery") stub.settings.discovery = discovery_of(value, port);
  }
  asio::co_spawn(io, accept_all(acceptor, stub), asio::detached);
  asio::co_spawn(io, answer_driver(io, stub), asio::detached);
  std::printf("%d\n", port);
  io.run();
}
