// Every fault at every step of a few exchanges over HTTP/2: each of them ends, nothing is left, and no request is carried out twice.
#include "net/http/http2_server.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

class SweptFault {
 public:
  std::string_view name;
  std::function<void(Http2Fixture& net, std::vector<OutcomePtr>& all)> strike;
};

void each_open_peer(Http2Fixture& net, const std::function<void(Http2Peer&)>& act) {
  for (Http2Peer& peer : net.peers) {
    if (peer.is_open) act(peer);
  }
}

std::string goaway(std::uint32_t last, std::uint32_t code) {
  return frame(FrameType::goaway, 0, 0, big_endian(last, 4) + big_endian(code, 4));
}

void reset_all(Http2Fixture& net, std::uint32_t code) {
  each_open_peer(net, [code](Http2Peer& peer) {
    for (const auto& [stream, request] : peer.requests) {
      peer.write(frame(FrameType::rst_stream, 0, static_cast<std::uint32_t>(stream), big_endian(code, 4)));
    }
  });
}

const std::vector<SweptFault>& swept_faults() {
  static const std::vector<SweptFault> all{
      {"closed", [](Http2Fixture& net, auto&) { each_open_peer(net, [](Http2Peer& peer) { peer.close(); }); }},
      {"silent", [](Http2Fixture& net, auto&) { each_open_peer(net, [](Http2Peer& peer) { peer.is_deaf = true; }); }},
      {"GOAWAY, nothing processed",
       [](Http2Fixture& net, auto&) { each_open_peer(net, [](Http2Peer& peer) { peer.write(goaway(0, 0)); }); }},
      {"GOAWAY, calm", [](Http2Fixture& net, auto&) { each_open_peer(net, [](Http2Peer& peer) { peer.write(goaway(0, 11)); }); }},
      {"GOAWAY, normal", [](Http2Fixture& net, auto&) { each_open_peer(net, [](Http2Peer& peer) { peer.write(goaway(0x7fffffff, 0)); }); }},
      {"refused", [](Http2Fixture& net, auto&) { reset_all(net, 7); }},
      {"reset", [](Http2Fixture& net, auto&) { reset_all(net, 2); }},
      {"garbage", [](Http2Fixture& net, auto&) { each_open_peer(net, [](Http2Peer& peer) { peer.write(std::string(100, '\xff')); }); }},
      {"no streams",
       [](Http2Fixture& net, auto&) {
         each_open_peer(net, [](Http2Peer& peer) { peer.write(frame(FrameType::settings, 0, 0, big_endian(3, 2) + big_endian(0, 4))); });
       }},
      {"cancelled",
       [](Http2Fixture&, std::vector<OutcomePtr>& all_of_them) {
         for (const OutcomePtr& one : all_of_them) one->signal.emit(asio::cancellation_type::terminal);
       }},
      {"one cancelled",
       [](Http2Fixture&, std::vector<OutcomePtr>& all_of_them) { all_of_them.front()->signal.emit(asio::cancellation_type::terminal); }},
      {"transport closed", [](Http2Fixture& net, auto&) { net.http->close(); }},
      {"gone",
       [](Http2Fixture& net, auto&) {
         net.acceptor.close();
         each_open_peer(net, [](Http2Peer& peer) { peer.close(); });
       }},
      {"out of time", [](Http2Fixture& net, auto&) { net.time->advance(60s); }},
      {"lost inside a head",
       [](Http2Fixture& net, auto&) {
         each_open_peer(net, [](Http2Peer& peer) {
           peer.write(frame(FrameType::headers, flag_end_headers, 1, std::string(64, '\x88')).substr(0, 20));
           peer.poll();
           peer.close();
         });
       }},
  };
  return all;
}

class SweptRun {
 public:
  explicit SweptRun(int max_connections = 64)
      : net(
            [this](Http2Peer& peer, std::int32_t stream, const Http2Request& request) {
              if (request.method == "POST") ++posts;
              peer.answer(stream, request.path == "/large" ? std::string(100'000, 'x') : request.path);
            },
            with(max_connections)) {}
  static NetworkOptions with(int max_connections) {
    NetworkOptions options;
    options.max_connections_per_host = static_cast<std::size_t>(max_connections);
    return options;
  }
  void start() {
    ExchangeOptions options;
    options.deadline = net.time->now() + 60s;
    for (int i = 0; i < 3; ++i) all.push_back(net.start("/" + std::to_string(i), options));
    HttpRequest post = net.request("/post");
    post.method = HttpMethod::post;
    post.body = "order";
    all.push_back(net.start(post, options));
    all.push_back(net.start_stream("/large", options));
  }
  bool is_over() const {
    return std::all_of(all.begin(), all.end(), [](const OutcomePtr& one) { return one->is_done(); });
  }
  /// Time advances only when nothing happens.
  void run_to_end() {
    for (int idle = 0; !is_over();) {
      idle = net.turn() > 0 ? 0 : idle + 1;
      if (idle < 50) continue;
      const auto next = net.time->next_alarm();
      REQUIRE(next);
      net.time->advance_to(*next);
      idle = 0;
    }
  }
  int posts = 0;
  Http2Fixture net;
  std::vector<OutcomePtr> all;
};

}  // namespace

TEST_CASE("HTTP/2: each fault at each step") {
  int steps = 0;
  {
    SweptRun plain;
    plain.start();
    for (; !plain.is_over(); ++steps) plain.net.turn();
    for (const OutcomePtr& one : plain.all) CHECK(one->result->has_value());
    CHECK(plain.posts == 1);
  }
  for (const SweptFault& fault : swept_faults()) {
    for (int k = 0; k <= steps; ++k) {
      INFO(fault.name << " after step " << k);
      SweptRun run;
      run.start();
      const SteadyTime begun = run.net.time->now();
      for (int i = 0; i < k; ++i) run.net.turn();
      fault.strike(run.net, run.all);
      run.run_to_end();
      CHECK(run.posts <= (fault.name == "refused" || fault.name.starts_with("GOAWAY") ? 2 : 1));
      for (std::size_t i = 0; i < run.all.size(); ++i) {
        const Result<HttpResponse>& result = *run.all[i]->result;
        if (result) CHECK(result->body.size() == (i < 3 ? 2 : i == 3 ? 5 : 100'000));
        if (!result) INFO(result.error().message());
      }
      CHECK(run.net.time->now() - begun <= 60s);
      for (int i = 0; i < 5; ++i) run.net.turn();
      CHECK(run.net.is_idle());
      CHECK(run.net.time->alarms() == 0);
      if (fault.name == "transport closed" || fault.name == "no streams" || fault.name == "gone") continue;
      for (Http2Peer& peer : run.net.peers) {
        if (peer.is_open && peer.is_deaf) peer.close();
      }
      CHECK(run.net.body("/after") == "/after");
    }
  }
}

TEST_CASE("HTTP/2: a loop that is destroyed at any step") {
  for (int k = 0; k < 40; ++k) {
    Http2Fixture server([](Http2Peer& peer, std::int32_t stream, const Http2Request& request) {
      if (request.path != "/silent") peer.answer(stream, request.path);
    });
    auto loop = std::make_unique<asio::io_context>();
    auto timers = std::make_shared<TimerQueue>(server.time, loop->get_executor());
    NetworkOptions network;
    network.ca_file = server.ca_file.path();
    network.http2 = true;
    auto http = make_http_transport(loop->get_executor(), timers, network);
    std::vector<OutcomePtr> all;
    const auto sizes = std::make_shared<std::vector<std::size_t>>();
    for (const char* const path : {"/a", "/silent", "/b", "/silent"}) {
      all.push_back(std::make_shared<Outcome>());
      auto run = send_into(http, server.request(path), {}, all.back());
      asio::co_spawn(*loop, std::move(run), asio::detached);
      all.push_back(std::make_shared<Outcome>());
      auto reading = stream_into(http, server.request(path), {}, all.back(), sizes);
      asio::co_spawn(*loop, std::move(reading), asio::detached);
    }
    for (int i = 0; i < k; ++i) {
      loop->restart();
      loop->poll();
      server.turn();
    }
    if (k % 3 != 0) http.reset();  // before the loop, or after it
    if (k % 2 != 0) timers.reset();
    loop.reset();
  }
}
