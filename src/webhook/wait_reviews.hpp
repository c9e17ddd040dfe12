// Decides on the reviews of API servers. No I/O.
#pragma once

#include <functional>
#include <string>

#include "rollcall/webhook.hpp"
#include "webhook/wire/admission_review.hpp"

namespace rollcall::webhook {

class WaitReviews {
 public:
  WaitReviews(std::string image, bool refuses_faulty, std::function<void(const ReviewedPod&)> on_pod)
      : image_(std::move(image)), refuses_faulty_(refuses_faulty), on_pod_(std::move(on_pod)) {}

  /// A pod without the annotation, or with the init container already, stays as it is.
  AdmissionAnswer judge(const AdmissionRequest& request) const;

 private:
  std::string image_;
  bool refuses_faulty_;
  std::function<void(const ReviewedPod&)> on_pod_;
};

}  // namespace rollcall::webhook
