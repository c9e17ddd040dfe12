// The peer of the gRPC benchmark: a process of its own that answers GetStatus at every address of 127.0.0.0/8, and counts.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace bench {

/// Eight TPU cores and a CPU, as bytes of a GetStatusResponse.
inline std::string worker_status() {
  std::string out;
  for (int i = 0; i < 9; ++i) {
    const std::string type = i < 8 ? "TPU" : "CPU";
    const std::string name = "/job:worker/replica:0/task:0/device:" + type + ":" + std::to_string(i % 8);
    std::string device = "\x0a" + std::string(1, static_cast<char>(name.size())) + name + "\x12\x03" + type;
    out += "\x0a" + std::string(1, static_cast<char>(device.size())) + device;
  }
  return out;
}

class CountingService final : public grpc::CallbackGenericService {
 public:
  std::atomic<std::uint64_t> count = 0;

 private:
  class Reactor final : public grpc::ServerGenericBidiReactor {
   public:
    Reactor() { StartRead(&request_); }
    void OnReadDone(bool) override {
      static const std::string status = worker_status();
      const grpc::Slice slice(status);
      answer_ = grpc::ByteBuffer(&slice, 1);
      StartWriteAndFinish(&answer_, grpc::WriteOptions(), grpc::Status::OK);
    }
    void OnDone() override { delete this; }

   private:
    grpc::ByteBuffer request_;
    grpc::ByteBuffer answer_;
  };
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    ++count;
    return new Reactor;
  }
};

/// Forked before this process has used gRPC.
class WorkerServer {
 public:
  WorkerServer() {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) {
      ::close(sockets[0]);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      serve(sockets[1]);
    }
    ::close(sockets[1]);
    control_ = sockets[0];
    if (read(control_, &port_, sizeof port_) != sizeof port_) std::abort();
  }
  ~WorkerServer() { stop(); }
  int port() const { return port_; }
  std::string address(int worker) const {
    return "127.9." + std::to_string(worker / 250) + "." + std::to_string(1 + worker % 250) + ":" + std::to_string(port_);
  }
  /// Calls answered since the last time.
  std::uint64_t take_count() {
    char question = '?';
    std::uint64_t count = 0;
    if (write(control_, &question, 1) != 1 || read(control_, &count, sizeof count) != sizeof count) std::abort();
    return count;
  }
  void stop() {
    if (child_ <= 0) return;
    ::close(control_);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  [[noreturn]] static void serve(int control) {
    CountingService service;
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("0.0.0.0:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterCallbackGenericService(&service);
    const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (write(control, &port, sizeof port) != sizeof port) _exit(1);
    for (char question = 0; read(control, &question, 1) == 1;) {
      const std::uint64_t count = service.count.exchange(0);
      if (write(control, &count, sizeof count) != sizeof count) break;
    }
    _exit(0);
  }

  pid_t child_ = 0;
  int control_ = -1;
  int port_ = 0;
};

}  // namespace bench
