// Ten thousand clients that follow their TPUs through an outage of a minute, in virtual time: the library's, and a loop that asks at a
// fixed interval, three requests a poll, and at once again when one fails (TensorFlow's cloud_tpu_client in a shell loop). Prints request
// rates and draws them: recovery [FILE.svg].
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <string>

#include "measure.hpp"
#include "rollcall/testing/fake_time.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/watch.hpp"
#include "virtual_time.hpp"

namespace {

using namespace std::chrono_literals;
using rollcall::Duration;
using rollcall::SteadyTime;

constexpr int clients = 10'000;
constexpr int outage_from = 600;  // seconds from the start: by then every client asks at the longest interval
constexpr int outage_until = 660;
constexpr int end_of_time = 960;

// Requests by second, and when each client was last refused and first served again.
class Book {
 public:
  explicit Book(const rollcall::testing::FakeTime& time) : time_(time), rate(end_of_time + 1), refused(clients, -1), served(clients, -1) {}
  double now() const { return std::chrono::duration<double>(time_.now().time_since_epoch()).count(); }
  /// True: it is answered.
  bool ask(std::size_t client) {
    const double at = now();
    if (at <= end_of_time) ++rate[static_cast<std::size_t>(at)];
    const bool is_down = at >= outage_from && at < outage_until;
    if (is_down) refused[client] = at;
    if (!is_down && refused[client] >= 0 && served[client] < 0) served[client] = at;
    return !is_down;
  }

 private:
  const rollcall::testing::FakeTime& time_;

 public:
  std::vector<int> rate;
  std::vector<double> refused;
  std::vector<double> served;
};

class Service final : public rollcall::HttpTransport {
 public:
  explicit Service(Book& book) : book_(book) {}
  asio::awaitable<rollcall::Result<rollcall::HttpResponse>> send(const rollcall::HttpRequest& request,
                                                                 const rollcall::ExchangeOptions&) override {
    co_await asio::post(asio::use_awaitable);
    const std::string& target = request.url.target;
    const std::size_t client = std::stoul(target.substr(target.rfind('-') + 1));
    rollcall::HttpResponse response;
    response.status = book_.ask(client) ? 200 : 503;
    response.headers.add("Content-Type", "application/json");
    if (response.status == 200) {
      response.body = R"({"name":"n","acceleratorType":"v4-8","state":"READY","networkEndpoints":[{"ipAddress":"10.0.0.1","port":8470}]})";
    }
    co_return response;
  }
  asio::awaitable<rollcall::Result<std::unique_ptr<rollcall::HttpStream>>> open(const rollcall::HttpRequest&,
                                                                                const rollcall::ExchangeOptions&) override {
    co_return rollcall::Failure(rollcall::Errc::unimplemented, "no streams here");
  }
  void close() override {}

 private:
  Book& book_;
};

void run_until_the_end(asio::io_context& io, rollcall::testing::FakeTime& time) {
  bench::run_until(io, time, time.now() + std::chrono::seconds(end_of_time));
}

// Simulates a process per client: each has a Runtime with its own retry budget and its own random numbers.
void run_rollcall(Book& book, const std::shared_ptr<rollcall::testing::FakeTime>& time) {
  asio::io_context io(1);
  const auto service = std::make_shared<Service>(book);
  std::vector<std::shared_ptr<rollcall::ClusterWatch>> watches;
  for (int i = 0; i < clients; ++i) {
    rollcall::RuntimeOptions options;
    options.http = service;
    options.time = time;
    options.random_seed = static_cast<std::uint64_t>(i) + 1;
    options.environment = rollcall::fixed_environment({});
    options.files = rollcall::fixed_files({});
    options.credentials = rollcall::static_token(rollcall::Secret<std::string>("t"));
    rollcall::Runtime runtime(io.get_executor(), std::move(options));
    rollcall::TpuOptions tpu("n-" + std::to_string(i));
    tpu.project("p").zone("us-central2-b");
    watches.push_back(
        rollcall::watch(rollcall::make_tpu_resolver(runtime, std::move(tpu)), rollcall::WatchOptions().machine_notices(false)));
  }
  run_until_the_end(io, *time);
  for (const auto& one : watches) one->close();
  io.restart();
  io.poll();
}

// A poll is three requests; a failure ends it, and it starts again after five seconds; a success is followed by half a minute.
class FixedLoop {
 public:
  FixedLoop(asio::io_context& io, rollcall::testing::FakeTime& time, Book& book, std::size_t client, Duration start)
      : time_(time), book_(book), client_(client), alarm_(time.make_alarm(io.get_executor(), [this] { poll(); })) {
    alarm_->set(time.now() + start);
  }

 private:
  void poll() {
    bool is_served = true;
    for (int i = 0; i < 3 && is_served; ++i) is_served = book_.ask(client_);
    alarm_->set(time_.now() + (is_served ? Duration(30s) : Duration(5s)));
  }
  rollcall::testing::FakeTime& time_;
  Book& book_;
  std::size_t client_;
  std::unique_ptr<rollcall::Alarm> alarm_;
};

void run_fixed(Book& book, const std::shared_ptr<rollcall::testing::FakeTime>& time) {
  asio::io_context io(1);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> start(0, 30);
  std::vector<std::unique_ptr<FixedLoop>> loops;
  for (std::size_t i = 0; i < clients; ++i) {
    loops.push_back(std::make_unique<FixedLoop>(io, *time, book, i,
                                                std::chrono::duration_cast<Duration>(std::chrono::duration<double>(start(random)))));
  }
  run_until_the_end(io, *time);
}

struct Outcome {
  double steady = 0;
  int peak = 0;
  double last = 0;  // recovered, from the start of the outage
  int lost = 0;     // refused, and never served again
};

Outcome outcome_of(const Book& book) {
  Outcome outcome;
  for (int s = outage_from - 120; s < outage_from; ++s) outcome.steady += book.rate[static_cast<std::size_t>(s)] / 120.0;
  for (int s = outage_from; s < end_of_time; ++s) outcome.peak = std::max(outcome.peak, book.rate[static_cast<std::size_t>(s)]);
  for (std::size_t i = 0; i < clients; ++i) {
    if (book.refused[i] < 0) continue;
    if (book.served[i] < 0) ++outcome.lost;
    outcome.last = std::max(outcome.last, book.served[i] - outage_from);
  }
  return outcome;
}

void print(const char* who, const Outcome& o) {
  std::printf(
      "%-22s steady %6.0f requests/s   peak %6d/s (%.2f x steady)   all served again %5.1f s after the outage began (%.2f x its length), "
      "%d never\n",
      who, o.steady, o.peak, o.peak / o.steady, o.last, o.last / (outage_until - outage_from), o.lost);
}

void draw_line(std::FILE* file, const Book& book, const Outcome& outcome, const char* colour, double top) {
  std::fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" points=\"", colour);
  for (int s = outage_from - 60; s < outage_from + 240; ++s) {
    const double y = 300 - 270 * std::min(book.rate[static_cast<std::size_t>(s)] / outcome.steady, top) / top;
    std::fprintf(file, "%.1f,%.1f ", 60 + (s - outage_from + 60) * 2.2, y);
  }
  std::fprintf(file, "\"/>\n");
}

bool draw(const char* path, const Book& ours, const Outcome& our, const Book& fixed, const Outcome& theirs) {
  std::FILE* file = std::fopen(path, "w");
  if (!file) return false;
  const double top = std::ceil(std::max(our.peak / our.steady, theirs.peak / theirs.steady));
  std::fprintf(
      file,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 350\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"760\" height=\"350\" fill=\"white\"/>\n<rect x=\"192\" y=\"30\" width=\"132\" height=\"270\" fill=\"#eee\"/>\n"
      "<text x=\"200\" y=\"45\">outage, 60 s</text>\n");
  for (int i = 0; i <= static_cast<int>(top); ++i) {
    const double y = 300 - 270 * i / top;
    std::fprintf(file, "<line x1=\"60\" x2=\"720\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ccc\"/><text x=\"20\" y=\"%.1f\">%d x</text>\n", y, y,
                 y + 4, i);
  }
  for (int s = -60; s <= 240; s += 60) {
    std::fprintf(file, "<text x=\"%.1f\" y=\"318\" text-anchor=\"middle\">%d s</text>\n", 60 + (s + 60) * 2.2, s);
  }
  draw_line(file, fixed, theirs, "#d62728", top);
  draw_line(file, ours, our, "#1f77b4", top);
  std::fprintf(file,
               "<text x=\"60\" y=\"342\" fill=\"#1f77b4\">rollcall</text><text x=\"140\" y=\"342\" fill=\"#d62728\">fixed loop</text>"
               "<text x=\"240\" y=\"342\">requests a second of 10,000 clients, as multiples of each one's steady rate</text>\n</svg>\n");
  return std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto our_time = std::make_shared<rollcall::testing::FakeTime>();
  Book ours(*our_time);
  const double start = bench::wall_seconds();
  run_rollcall(ours, our_time);
  const double took = bench::wall_seconds() - start;
  const auto their_time = std::make_shared<rollcall::testing::FakeTime>();
  Book fixed(*their_time);
  run_fixed(fixed, their_time);
  const Outcome our = outcome_of(ours);
  const Outcome theirs = outcome_of(fixed);
  print("rollcall", our);
  print("fixed loop", theirs);
  std::printf("(simulated %d s of %d clients in %.1f s)\n", end_of_time, clients, took);
  if (argc > 1 && !draw(argv[1], ours, our, fixed, theirs)) std::printf("cannot write %s\n", argv[1]);
  return our.lost == 0 && our.steady > 0 ? 0 : 1;
}
