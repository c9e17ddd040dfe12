#include "command/process/pipe_reading.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "base/wiped_buffer.hpp"

namespace rollcall::command {

class PipeReading::Waiter final : public AwaitedFile {
 public:
  Waiter(std::shared_ptr<PipeReading> reading, std::function<void()> then) : reading_(std::move(reading)), then_(std::move(then)) {}
  ~Waiter() override { reading_->leave(this); }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  const std::string& path() const override { return reading_->path(); }
  void wake() {
    if (then_) std::exchange(then_, nullptr)();
  }

 private:
  const std::shared_ptr<PipeReading> reading_;
  std::function<void()> then_;
};

Result<std::shared_ptr<PipeReading>> PipeReading::open(const asio::any_io_executor& executor, const std::string& path,
                                                       std::size_t max_bytes) {
  const auto cannot = [&path](const char* why) {
    return Failure(Errc::invalid_argument, fmt::format("cannot read {}: {}", quoted_path(path), why)).with_target(path_text(path));
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return cannot(std::strerror(errno));
  auto reading = std::make_shared<PipeReading>(executor, path, max_bytes);
  std::error_code error;
  reading->pipe_.assign(fd, error);
  if (!error) return reading;
  ::close(fd);
  return cannot(error.message().c_str());
}

PipeReading::~PipeReading() { wipe(text_.data(), text_.size()); }

Result<std::string> PipeReading::content() {
  if (!failure_ && !is_at_end_) take_what_came();
  if (failure_) return *failure_;
  if (is_at_end_) return text_;
  return Failure(Errc::not_ready, fmt::format("{} has not come to its end", quoted_path(path_))).with_target(path_text(path_));
}

std::shared_ptr<AwaitedFile> PipeReading::await_end(std::function<void()> then) {
  auto waiter = std::make_shared<Waiter>(shared_from_this(), std::move(then));
  waiters_.push_back(waiter.get());
  if (failure_ || is_at_end_) {
    asio::post(pipe_.get_executor(), [weak = std::weak_ptr<Waiter>(waiter)] {
      if (const std::shared_ptr<Waiter> alive = weak.lock()) alive->wake();
    });
  } else if (!is_watched_) {
    watch();
  }
  return waiter;
}

void PipeReading::take_what_came() {
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t count = ::read(pipe_.native_handle(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0)
      return fail(Failure(Errc::invalid_argument, fmt::format("cannot read {}: {}", quoted_path(path_), std::strerror(errno))));
    if (count == 0) {
      is_at_end_ = true;
      std::error_code ignored;
      pipe_.close(ignored);
      return;
    }
    const bool is_too_long = text_.size() + static_cast<std::size_t>(count) > max_bytes_;
    if (!is_too_long) append_and_wipe(text_, std::string_view(piece.data(), static_cast<std::size_t>(count)));
    wipe(piece.data(), static_cast<std::size_t>(count));
    if (is_too_long) return fail(Failure(Errc::limit_exceeded, fmt::format("{} is longer than {} bytes", quoted_path(path_), max_bytes_)));
  }
}

void PipeReading::fail(Failure failure) {
  failure_ = std::move(failure).with_target(path_text(path_));
  clear_and_wipe(text_);
  std::error_code ignored;
  pipe_.close(ignored);
}

void PipeReading::watch() {
  is_watched_ = true;
  pipe_.async_wait(asio::posix::descriptor_base::wait_read, [self = shared_from_this()](const std::error_code& error) {
    self->is_watched_ = false;
    if (!error) self->take_what_came();
    if (self->failure_ || self->is_at_end_) return self->wake_all();
    if (!self->waiters_.empty()) self->watch();
  });
}

void PipeReading::leave(Waiter* waiter) {
  waiters_.remove(waiter);
  std::error_code ignored;
  if (waiters_.empty() && is_watched_) pipe_.cancel(ignored);
}

void PipeReading::wake_all() {
  const std::list<Waiter*> all = waiters_;  // a woken waiter may remove itself, in a later turn
  for (Waiter* const waiter : all) waiter->wake();
}

}  // namespace rollcall::command
