#include "rollcall/sim/recorder.hpp"

#include "sim/record/recording_file.hpp"
#include "sim/record/recording_transport.hpp"

namespace rollcall::sim {

class Recorder::Impl {
 public:
  std::shared_ptr<ExchangeLog> log;
  bool is_anonymous = false;
};

Recorder::Recorder(RecorderOptions options) : impl_(std::make_unique<Impl>()) {
  const auto time = options.time ? options.time : system_time();
  impl_->log = std::make_shared<ExchangeLog>(time, options.max_bytes, options.max_exchanges);
  impl_->is_anonymous = options.is_anonymous;
}
Recorder::~Recorder() = default;

std::shared_ptr<HttpTransport> Recorder::around(std::shared_ptr<HttpTransport> http) {
  return make_recording_transport(impl_->log, std::move(http));
}

std::size_t Recorder::exchanges() const noexcept { return impl_->log->exchanges().size(); }
std::string Recorder::left_out() const { return impl_->log->left_out(); }
std::string Recorder::file(const std::vector<std::string>& targets) const {
  return recording_file(*impl_->log, targets, impl_->is_anonymous);
}

}  // namespace rollcall::sim
