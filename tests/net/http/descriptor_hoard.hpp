// Uses up all file descriptors of the process while it lives.
#pragma once

#include <sys/resource.h>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <system_error>
#include <vector>

namespace rollcall::testing {

class DescriptorHoard {
 public:
  explicit DescriptorHoard(asio::io_context& io) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit tight = before_;
    tight.rlim_cur = 256;
    setrlimit(RLIMIT_NOFILE, &tight);
    for (std::error_code error; !error;) {
      sockets_.emplace_back(io);
      sockets_.back().open(asio::ip::tcp::v4(), error);
    }
  }
  ~DescriptorHoard() {
    sockets_.clear();
    setrlimit(RLIMIT_NOFILE, &before_);
  }
  DescriptorHoard(const DescriptorHoard&) = delete;
  DescriptorHoard& operator=(const DescriptorHoard&) = delete;

 private:
  rlimit before_{};
  std::vector<asio::ip::tcp::socket> sockets_;
};

}  // namespace rollcall::testing
