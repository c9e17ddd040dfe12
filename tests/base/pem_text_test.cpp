// PEM with damaged line ends.
#include "base/pem_text.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("line ends as two characters become line ends") {
  const std::string fine = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
  CHECK(with_line_ends(R"(-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n)").reveal() == fine);
  CHECK(with_line_ends(R"(-----BEGIN PRIVATE KEY-----\r\nAAAA\r\n-----END PRIVATE KEY-----\r\n)").reveal() == fine);
  CHECK(with_line_ends("-----BEGIN PRIVATE KEY-----\\nAAAA\\n-----END PRIVATE KEY-----\\n\n").reveal() == fine + "\n");
  for (const std::string& as_it_is : {fine, std::string("no PEM\\n at all"), std::string("-----BEGIN X-----\nA\\nA\n"), std::string()})
    CHECK(with_line_ends(as_it_is).reveal() == as_it_is);
}

TEST_CASE("faults in the form of PEM") {
  CHECK(pem_form_fault(R"(-----BEGIN X-----\nA\n-----END X-----)") == "its line ends are \\n as two characters");
  CHECK(pem_form_fault("-----BEGIN X----- A -----END X-----\n") == "its lines have no line ends in between");
  CHECK(pem_form_fault("-----BEGIN X-----\nA\n-----END X-----\n").empty());
  CHECK(pem_form_fault("nonsense").empty());
  CHECK(pem_form_fault("").empty());
}
