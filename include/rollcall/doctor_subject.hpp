// The service behind a target, as doctor() looks at it. Schemes give one by TargetScheme::doctor.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/doctor_report.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

class Service;
using DoctorChecks = std::vector<DoctorCheck>;
using DoctorAnswer = asio::awaitable<Result<DoctorChecks>>;

/// An API of Google Cloud: doctor() checks Google's credentials, project, zone and permissions.
class GoogleSubject {
 public:
  GoogleSubject() {}
  // Where neither the target nor an option names them.
  std::string project = {};
  std::string zone = {};
  std::string place_from = {};  ///< what names them: "TPU_CONFIG or TPU_NAME"
  bool is_regional = false;     ///< no zone is needed
  std::span<const std::string_view> permissions = {};
  std::string_view viewer_role = {};  ///< has them: `roles/tpu.viewer`
  const Service* service = nullptr;   ///< private to the library
};

/// Checks may suspend; cancellable. A check that fails is a DoctorCheck; a Failure means that it was cancelled, or that its time is over.
/// The default checks report that none of Google's credentials are used.
class DoctorSubject {
 public:
  DoctorSubject() {}
  DoctorSubject(const DoctorSubject&) = delete;
  DoctorSubject& operator=(const DoctorSubject&) = delete;
  virtual ~DoctorSubject() = default;

  /// False: it is asked by programs. Then find() is not used.
  virtual bool asks_by_http() const noexcept { return true; }
  /// A request for the root of the service, to look at the way to it: name look-up, connection, TLS, clock. Errors: as its look-up.
  virtual asio::awaitable<Result<HttpRequest>> find(Call& call) const = 0;
  /// The service answers a small question. Asked only where doctor() has no target.
  virtual DoctorAnswer check_api(Call& call, std::string project, std::string zone) const;
  virtual DoctorAnswer check_settings(Call& call) const;
  virtual DoctorAnswer check_token(Call& call) const;
  /// Errors are reported as a check that was skipped.
  virtual DoctorAnswer check_permissions(Call& call) const;
  /// Files with secrets or server names, which others must not read or change.
  virtual std::vector<std::string> files(const Environment& environment) const;
  /// Null: not an API of Google Cloud. Else check_settings(), check_token() and check_permissions() are not used.
  virtual const GoogleSubject* google() const noexcept { return nullptr; }
};

}  // namespace rollcall
