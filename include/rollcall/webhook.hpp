// A mutating webhook for Kubernetes: pods with the annotation rollcall.dev/wait start once a cluster is ready. The implementation of
// `rollcall webhook`.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "rollcall/error.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

class WebhookOptions {
 public:
  WebhookOptions() {}
  std::string listen = ":8443";  ///< `IP:PORT`, or `:PORT` for all addresses of the machine; port 0: any
  std::string certificate_file;  ///< PEM, with its chain, read again when it changes. Must be given: API servers ask by https alone
  std::string key_file;          ///< PEM; empty: the key is in certificate_file
  std::string image;             ///< of the init containers, with `rollcall` as its entry point. Must be given
  bool refuses_faulty = true;    ///< a pod whose annotations are wrong is refused; false: it is admitted unchanged, with a warning
};

/// A pod with the annotation, and what became of it.
class ReviewedPod {
 public:
  ReviewedPod() {}
  std::string namespace_name;
  std::string name;    ///< or the prefix that the server makes one of, `trainer-0-`
  std::string target;  ///< as in the annotation
  std::string fault;   ///< of its annotations; empty: it waits
};

/// Answers the reviews of API servers (`POST /wait`), and `GET /healthz` and `GET /readyz`. All calls on the Runtime's executor.
class Webhook {
 public:
  /// `on_pod` is called for each pod with the annotation, and must return quickly; null: it is not. Does not suspend. Errors:
  /// invalid_argument (an address, a file, an option that is missing), failed_precondition (cannot listen on the address).
  static Result<std::shared_ptr<Webhook>> start(Runtime runtime, WebhookOptions options,
                                                std::function<void(const ReviewedPod&)> on_pod = {});
  virtual ~Webhook() = default;

  /// `https://127.0.0.1:8443/wait`: what an API server on this machine asks.
  virtual std::string url() const = 0;
  /// From now on `/readyz` is 503, so that no more reviews are sent here. Those that come are still answered.
  virtual void drain() = 0;
  /// Closes all connections; idempotent.
  virtual void stop() = 0;
};

}  // namespace rollcall
