// Cases of `metadata`: is this machine on Compute Engine?
#include <fmt/format.h>

#include "conformance/arguments.hpp"
#include "conformance/subject.hpp"
#include "rollcall/cloud_tpu_client.hpp"

namespace rollcall::conformance {
namespace {

class MetadataSubject final : public Subject {
 public:
  explicit MetadataSubject(Runtime runtime) : runtime_(std::move(runtime)) {}

  asio::awaitable<Outcome> call(std::string member, const json::object& values, CallOptions options) override {
    if (member != "is_running_in_gce") throw NotUnderstood(fmt::format("the metadata probe has no '{}'", member));
    Arguments(values, member).finish();
    Outcome outcome = co_await first_await(std::move(options));
    co_return outcome;
  }

  asio::awaitable<Outcome> first_await(CallOptions options) override {
    try {
      const bool is_running = co_await is_running_in_gce(runtime_, std::move(options));
      co_return Outcome(json::value(is_running));
    } catch (const ResolveError& error) {
      co_return Outcome(error.failure());
    }
  }

 private:
  Runtime runtime_;
};

}  // namespace

std::unique_ptr<Subject> make_metadata_subject(const json::object& args, const Setting& setting) {
  Arguments read(args, "metadata");
  read.value("credentials");
  read.finish();
  return std::make_unique<MetadataSubject>(setting.runtime);
}

}  // namespace rollcall::conformance
