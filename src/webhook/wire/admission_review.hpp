// What an API server of Kubernetes asks a mutating webhook (AdmissionReview, admission.k8s.io/v1), and what it is answered.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall::webhook {

/// The annotations of a pod by which it asks for a wait.
inline constexpr std::string_view wait_annotation = "rollcall.dev/wait";
inline constexpr std::string_view until_annotation = "rollcall.dev/wait-until";
inline constexpr std::string_view members_annotation = "rollcall.dev/wait-members";
inline constexpr std::string_view timeout_annotation = "rollcall.dev/wait-timeout";

class NamedContainer {
 public:
  NamedContainer() {}
  std::string name;
};

/// Of the object that is to be created; its texts are as the server sent them.
class AdmittedPod {
 public:
  AdmittedPod() {}
  std::string kind;  ///< `Pod`
  std::string namespace_name;
  std::string name;           ///< empty where the server makes one
  std::string generate_name;  ///< the prefix of that one
  bool asks_to_wait = false;  ///< it has the annotation rollcall.dev/wait, which may be empty
  std::string wait, until, members, timeout;  ///< values of the annotations; empty: it has none
  std::vector<NamedContainer> init_containers;
  std::vector<NamedContainer> containers;
  std::string os;       ///< the operating system that its containers are for; empty: it does not say
  std::string node_os;  ///< that of the nodes it asks for
};

class AdmissionRequest {
 public:
  AdmissionRequest() {}
  std::string uid;
  std::string operation;  ///< `CREATE`
  std::string namespace_name;
  AdmittedPod object;
};

/// A pod of a server is at most 3 MiB.
inline constexpr std::size_t max_review_bytes = std::size_t{4} << 20;

/// Errors: malformed_response: no AdmissionReview of this version, or without a request; limit_exceeded.
Result<AdmissionRequest> read_admission_review(std::string_view json);

class AdmissionAnswer {
 public:
  AdmissionAnswer() {}
  std::string uid;      ///< that of the request
  std::string patch;    ///< JSON Patch (RFC 6902); empty: the object stays as it is
  std::string refusal;  ///< empty: the object is allowed
  std::string warning;  ///< for the user who creates the object; may be empty
};
std::string write_admission_review(const AdmissionAnswer& answer);

}  // namespace rollcall::webhook
