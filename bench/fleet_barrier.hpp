// A barrier at the service: all tasks but one wait there, the last one comes, and all have the release.
#pragma once

#include "fleet_herd.hpp"
#include "fleet_process.hpp"

namespace bench {

class BarrierHerd {
 public:
  BarrierHerd(int tasks, std::uint16_t port) : tasks_(tasks), herd_(tasks, port, false, Herd::Reads::bodies) {
    sequences_.resize(static_cast<std::size_t>(tasks));
    herd_.converse([this](std::size_t i, HerdMember& one, double now) { return answer(i, one, now); });
  }

  /// Until every task but the last one waits.
  void gather() {
    for (std::size_t i = 0; i + 1 < sequences_.size(); ++i) connect(i);
    while (waiting_ + 1 < tasks_) herd_.run_for(0.01);
    herd_.run_for(1);  // the second hellos arrive
  }
  /// When each task had the release, in seconds since the last one came; sorted.
  std::vector<double> release() {
    const double begun = wall_seconds();
    connect(sequences_.size() - 1);
    herd_.run(&HerdMember::wanted, 30);
    std::vector<double> times = herd_.times(&HerdMember::wanted);
    for (double& at : times) at -= begun;
    return times;
  }

 private:
  void connect(std::size_t i) { herd_.connect(hello(i, 0), i, i + 1); }

  std::string hello(std::size_t i, long call) {
    const std::string body =
        fmt::format(R"({{"incarnation":"{:016x}","sequence":{},"call":{},"stage":"barrier","generation":1,"tasks":"worker:0-{}"}})", i,
                    ++sequences_[i], call, tasks_ - 1);
    return fmt::format(
        "PUT /v1/runs/0123456789abcdef/members/{} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\n\r\n{}",
        i, body.size(), body);
  }
  std::string answer(std::size_t i, HerdMember& one, double now) {
    const std::size_t call = one.body.find("\"call\":");
    if (call == std::string::npos) die("an answer: " + one.body.substr(0, 300));
    if (one.body.find("\"released\"") != std::string::npos) {
      one.wanted = now;
      return {};
    }
    if (sequences_[i] == 1) ++waiting_;
    return hello(i, std::strtol(one.body.c_str() + call + 7, nullptr, 10));
  }

  int tasks_;
  int waiting_ = 0;
  std::vector<int> sequences_;  // of hellos
  Herd herd_;
};

}  // namespace bench
