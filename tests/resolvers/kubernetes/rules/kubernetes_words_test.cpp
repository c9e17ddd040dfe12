// What is shown of the messages of the kubelet and of controllers.
#include <catch2/catch.hpp>

#include "resolvers/kubernetes/rules/container_causes.hpp"

using namespace rollcall;

TEST_CASE("the names of Secrets and of their keys are what is missing, and are shown") {
  const auto shown = [](const std::string& message) { return kubernetes_words(message); };
  for (const char* const words : {"secret \"hf-token-2\" not found", "couldn't find key HF_TOKEN in Secret train/hf-secret-v1",
                                  "MountVolume.SetUp failed for volume \"creds\" : references non-existent secret key: sa-key.json"})
    CHECK(shown(words) == words);
  CHECK(shown("couldn't find key HF_TOKEN in Secret train/hf-secret-v1, password=hunter2") ==
        "couldn't find key HF_TOKEN in Secret train/hf-secret-v1, password=***");
  CHECK(shown("secret \"ghp_0123456789abcdef\" not found") == "secret \"***\" not found");
  CHECK(shown("secret: hunter-2") == "secret: ***");
  const std::string lost = shown("Pod was rejected: " + std::string(500, '.') + ": nvml: GPU is lost");
  CHECK_THAT(lost, Catch::StartsWith("Pod was rejected: ..") && Catch::EndsWith(".: nvml: GPU is lost"));
}
