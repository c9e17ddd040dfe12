// The object under test, behind upstream's names.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <string>
#include <vector>

#include "conformance/outcome.hpp"
#include "rollcall/call.hpp"

namespace rollcall::conformance {

class Subject {
 public:
  virtual ~Subject() = default;
  /// Calls a member. Throws NotApplicable and NotUnderstood. `args` must outlive the await.
  virtual asio::awaitable<Outcome> call(std::string member, const json::object& args, CallOptions options) = 0;
  /// The first call that suspends: an error of construction must appear at the latest there.
  virtual asio::awaitable<Outcome> first_await(CallOptions options) = 0;
  /// Assigns a property.
  virtual Outcome set(std::string_view property, const json::value& value);
};

/// The inputs of constructors besides their arguments.
class Setting {
 public:
  Setting(Runtime case_runtime, std::vector<std::string> hosts) : runtime(std::move(case_runtime)), token_hosts(std::move(hosts)) {}
  Runtime runtime;
  std::vector<std::string> token_hosts;  ///< the case's own servers: its user trusts them
};

/// Constructs the object that `resolver` names. Throws NotApplicable (not implemented yet) and NotUnderstood.
std::unique_ptr<Subject> make_subject(const std::string& resolver, const json::object& args, const Setting& setting);

// One function per kind of object.
std::unique_ptr<Subject> make_cluster_spec_subject(const json::object& args);
std::unique_ptr<Subject> make_devices_subject();
std::unique_ptr<Subject> make_metadata_subject(const json::object& args, const Setting& setting);
std::unique_ptr<Subject> make_cloud_tpu_client_subject(const json::object& args, const Setting& setting);
std::unique_ptr<Subject> make_resolver_subject(const std::string& resolver, const json::object& args, const Setting& setting);

}  // namespace rollcall::conformance
