// ask_http2 URL CA_FILE TOKEN COUNT IN_FLIGHT http1|http2|http2-patient [BAD_EVERY ORDERS_URL RUN]: GETs of URL/0, URL/1 … by the library's
// own transport, without a Runtime's retries; the patient one waits for an answer as long as a watch waits for an event. With BAD_EVERY
// each BAD_EVERYth has another token, and each fourth is a POST of a ConfigMap with the label RUN to ORDERS_URL. With ASK_PROXY in the
// environment, the URL of a proxy, all go through that. Prints how many ended in which way. See tests/interop/http2/run.
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>

#include "async/timer_queue.hpp"
#include "net/http/http_transport.hpp"

using namespace rollcall;

namespace {

class AskedRequest {
 public:
  HttpRequest request;
  ExchangeOptions options;
  std::string kind;
};

class RequestRun {
 public:
  explicit RequestRun(char** arguments) : args_(arguments), timers_(std::make_shared<TimerQueue>(system_time(), io_.get_executor())) {
    std::ifstream file(args_[2]);
    access_->authorities.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    access_->authorities_from = args_[2];
    if (const char* const proxy = std::getenv("ASK_PROXY")) {
      access_->proxy = Secret<std::string>(proxy);
      access_->proxy_from = "ASK_PROXY";
      access_->proxies_near_hosts = true;
    }
    NetworkOptions network;
    network.proxy = ProxySettings();
    network.http2 = std::string_view(args_[6]).starts_with("http2");
    http_ = make_http_transport(io_.get_executor(), timers_, network);
  }
  void run(bool has_orders) {
    has_orders_ = has_orders;
    for (int i = 0; i < std::atoi(args_[5]); ++i) send_next();
    io_.run();
    for (const auto& [kind, count] : ended_) std::cout << kind << ": " << count << '\n';
  }

 private:
  std::shared_ptr<AskedRequest> make(int index) const {
    auto made = std::make_shared<AskedRequest>();
    if (std::string_view(args_[6]).ends_with("-patient")) made->options.response_timeout = Duration::zero();
    const int bad_every = has_orders_ ? std::atoi(args_[7]) : 0;
    const bool is_bad = bad_every > 0 && index % bad_every == bad_every - 1;
    const bool is_order = has_orders_ && !is_bad && index % 4 == 0;
    const std::string question = has_orders_ ? args_[1] : std::string(args_[1]) + "/" + std::to_string(index);
    made->kind = is_bad ? "bad token" : is_order ? "POST" : "GET";
    made->request = HttpRequest(Url::parse(is_order ? args_[8] : question).value());
    made->request.access = access_;
    made->request.bearer = Secret<std::string>(is_bad ? "an-expired-token" : args_[3]);
    if (is_order) {
      made->request.method = HttpMethod::post;
      made->request.headers.add("Content-Type", "application/json");
      made->request.body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"order-","labels":{"run":")" +
                           std::string(args_[9]) + "\"}}}";
    }
    return made;
  }
  void send_next() {
    if (next_ == std::atoi(args_[4])) return;
    const std::shared_ptr<AskedRequest> asked = make(next_++);
    asio::co_spawn(io_, http_->send(asked->request, asked->options), [this, asked](std::exception_ptr, Result<HttpResponse> answer) {
      const std::string how = answer ? std::to_string(answer->status) : answer.error().what();
      ++ended_[asked->kind + " " + how];
      send_next();
    });
  }

  char** args_;
  bool has_orders_ = false;
  int next_ = 0;
  std::map<std::string, int> ended_;
  asio::io_context io_{1};
  std::shared_ptr<TimerQueue> timers_;
  std::shared_ptr<ServerAccess> access_ = std::make_shared<ServerAccess>();
  std::shared_ptr<HttpTransport> http_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7 && argc != 10) return 2;
  RequestRun(argv).run(argc == 10);
  return 0;
}
