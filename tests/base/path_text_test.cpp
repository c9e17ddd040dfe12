// Printed paths, and other texts in their place.
#include "base/path_text.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using rollcall::testing::check_failure;
using rollcall::testing::value_of;

namespace {

const std::string pem = "-----BEGIN PRIVATE KEY-----\nMIIBVAIBADANBg\n-----END PRIVATE KEY-----\n";
const std::string key_file = R"({"type": "service_account", "private_key": "x"})";

}  // namespace

TEST_CASE("the content of any file is no path") {
  const std::string kubeconfig = "apiVersion: v1\nusers:\n- user: {token: hush}\n";
  for (const std::string& content :
       {pem, key_file, kubeconfig, "\n" + key_file, std::string("[default]\naws_secret_access_key = hush"),
        std::string("eyJhbGciOiJSUzI1NiJ9.e30.c2ln"), std::string("ya29.a0ARrdaM"), std::string("LS0tLS1CRUdJTiBQUklWQVRF"),
        std::string(5000, 'a'), "/x/" + std::string(300, 'a'), std::string("apiVersion: v1")}) {
    CAPTURE(content);
    CHECK(holds_content(content));
    CHECK(path_text(content) == fmt::format("(a text of {} bytes, which is no path)", content.size()));
    CHECK(quoted_path(content) == path_text(content));
    check_failure(check_path("KUBECONFIG", content), Errc::invalid_argument, "KUBECONFIG holds a file's content, not its path");
  }
}

TEST_CASE("paths are shown as they are") {
  for (const char* const path : {"", "/srv/ada/.kube/config", "key.json", "../a b/c", "/etc/ssl/certs/ca-certificates.crt", "C:/x",
                                 "~/key.pem", "/run/secrets/kubernetes.io/serviceaccount/token", "my-service-account-2024.json",
                                 "/var/lib/kubelet/pods/72f988bf-86f1-41af-91ab-2d7cd011db47/x"}) {
    CAPTURE(path);
    CHECK_FALSE(holds_content(path));
    CHECK(path_text(path) == path);
    CHECK(quoted_path(path) == fmt::format("'{}'", path));
    CHECK(check_path("X", path));
  }
  CHECK(path_text("a\x7f") == "(a text of 2 bytes, which is no path)");
}

TEST_CASE("a part of a path that looks like a secret is hidden") {
  CHECK(path_text("/srv/ada/.kube/wJalrXUtnFEMI7K7MDENGbPxRfiCY") == "/srv/ada/.kube/***");
  CHECK(path_text("/srv/ada/.kube/LS0tLS1CRUdJTiBQ/abc/def") == "/srv/ada/.kube/***");
  CHECK(quoted_path("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY") == "'***'");
  CHECK(path_text("/srv/ada/.kube/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY") == "/srv/ada/.kube/***");
  CHECK(path_text("/srv/Data/0123456789abcdef01/key.pem") == "/srv/Data/***/key.pem");
  CHECK(path_text("/nix/store/0c2d4f6h8j0l2n4p-cacert/ca.crt") == "/nix/store/***/ca.crt");
}

TEST_CASE("targets are shown without secrets") {
  for (const char* const target : {"tpu:trainer,zone=us-central2-b", "tpu:gke-tpu-81a9b2c3d4e5f607", "tpu:projects/p/locations/z/nodes/n",
                                   "kubernetes:train,job.worker=app=x+tier=y,kubeconfig=/srv/c", "simple:job.worker=a:1+b:2"}) {
    CAPTURE(target);
    CHECK(target_text(target) == target);
  }
  CHECK(target_text("ya29.a0ARrdaM") == "***");
  CHECK(target_text("tpu:ya29.a0ARrdaM") == "tpu:***");
  CHECK(quoted_target("kubernetes:t,token_file=eyJhbGciOiJSUzI1NiJ9.e30.c2ln,port=1") == "'kubernetes:t,token_file=***,port=1'");
  CHECK(target_text("mpi:hostfile=%7B%22token%22%3A%20%22hush%22%7D") == "mpi:hostfile=***");
  CHECK(target_text("mpi:hostfile=%5Bdefault%5D%0Akey%20%3D%20hush") == "mpi:hostfile=***");
  CHECK(target_text("kubernetes:t,token_file=a%20password%3Dhush") == "kubernetes:t,token_file=***");
  CHECK(target_text("simple:job.worker=" + std::string(300, 'a')) == "simple:job.worker=" + std::string(238, 'a') + "… (318 bytes)");
  CHECK(target_text("kubernetes:t,kubeconfig=apiVersion: v1\ntoken: hush") == "(a text of 50 bytes, which is no path)");
}

TEST_CASE("a variable's path") {
  const auto environment = fixed_environment({{"A", "/x"}, {"B", pem}});
  CHECK(value_of(path_variable(*environment, "A")) == "/x");
  CHECK(value_of(path_variable(*environment, "C")).empty());
  check_failure(path_variable(*environment, "B"), Errc::invalid_argument, "B holds a file's content, not its path");
}
