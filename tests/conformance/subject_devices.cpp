// Cases of `devices`: device names.
#include <fmt/format.h>

#include "conformance/arguments.hpp"
#include "conformance/subject.hpp"
#include "rollcall/device.hpp"

namespace rollcall::conformance {
namespace {

template <class T>
json::value or_null(const std::optional<T>& value) {
  return value ? json::value(*value) : json::value();
}

class DevicesSubject final : public Subject {
 public:
  asio::awaitable<Outcome> call(std::string member, const json::object& values, CallOptions) override {
    if (needs_devices("devices", member)) throw NotApplicable("there is no device service yet");
    Arguments args(values, member);
    const Result<Device> device = Device::parse(args.required_text("text"));
    args.finish();
    if (!device) co_return Outcome(device.error());
    json::object parts{{"job", or_null(device->job)}, {"replica", or_null(device->replica)}, {"task", or_null(device->task)},
                       {"type", or_null(device->type)}, {"id", or_null(device->id)}};
    co_return Outcome(json::value(std::move(parts)));
  }

  asio::awaitable<Outcome> first_await(CallOptions) override { co_return Outcome(); }
};

}  // namespace

std::unique_ptr<Subject> make_devices_subject() { return std::make_unique<DevicesSubject>(); }

}  // namespace rollcall::conformance
