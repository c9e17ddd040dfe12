// Credential files of every kind, with keys that were made only for the tests.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>

#include "support/parse_result.hpp"

namespace rollcall::testing {

inline const std::string rsa_test_key = R"(-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDRyzAbIx6aMulm
sV1gjaVZuQ1iYrtZSGmyt1ZcuSr+8eSsq4h+mKSjPN7dyfnZB9r60460rJTLNDn+
LtBcli3c6qDxD4RkA1PmYWIhSguKaxXA4HRIuuPe0LWORvZJS+keZ1YlmnFaQ9Ir
90G4H4f7pdb7zyRcTfGTEYEeVUTPZ3T+MU4dvzuoOJA4B2WSLMHboynH6v5LDsYc
R5+IrLDGdGh+Rb3IT4jDzUUr5qyBqNt4nRwfzJY7fXGUn5oomXOHrzNM3RZhtcgb
Uj+kVfhcgdeeOvwsGxiZiXJHGQBEjFMiA6kc1qpOQRQblTw7jRNeSTzmZyyBONla
l9GK/jvvAgMBAAECggEAA8WzmGK7zhNK/GL2SfyS+Y/52mYmjRJBumhJLEEPZlPr
gEvMmDbbBC0Z2FIHWcTp+o7adBq/9qTUw4gqbl7R3wBH27zX/As3RjmeKiZ7sRx4
pIu7Pl4iJ53L0En+tuEnFFg6CXCWQF71ldme2CG0xsa4FUyRF+y9r8wPEpb3rorE
Vg4DK3ymW3g6yTGqr6q43jaXNvVbdrm+ZA/hTo1SJQbrLteekB5h2xszcdX5/eXe
X7uUkiMRxe4r9EQ/vTDZjNK0n3vaGpGZ07BTkrLvUjDzfHrJ8QvzUYXTPHZ1p7es
PSNk3cgoRAodfnn8+zHhzeNMjqevK4CmVzJxTTXCaQKBgQD3bpY771Jff0gs0k6b
4QoVbGKtACiQQVMXgkBdiyUT1bmOcaZVJkCrBMeNaYjp1Oj2xrey6qHYI5Uk9B5X
nhv4Z5/0XLZTE1sn8XNN/d0hVEFvp24kaDk9KCgAT0dT/pLDg5gynuhLoedRowv9
RaCr2xCT7zMLfb7zdU8gAIQCFQKBgQDZDvLWxBR2uHJOncLiOAfJGVQ9eCM6VE3c
PTHO35sQhtfDXhfGVXXbZBaHumPhcrmswjzNzQHrsEhLR4hGOl3Bjpe+Jj5dn08G
oDivO5TB7rLSaIYcBwvOx0ZeMAkiJVsPk6m7x4HKMMxIi+TFdRClQliMh53mVJ+D
z/o817m68wKBgGbkeNsBoXqO3n+tEP1nbp8MDFiuyS97ysbq5kNAGrIN3XTrs+SS
3K+BdE5NBZ9fZ2U/q6JeSeEsotfUIE4FNNJunSir6THQycZpdK6JFAzJEdERig7f
vHW/HitKzHmUUom1TnQ2epkBAcWEDPdMngz5MwKhpNNxfheVv8qqDDslAoGAcUsj
J0QbJkhpqW0gznDOZ4Gn/ZmaUZS1OxJZ0A/YYQzwy5FuOWBb7tJUDC4WehMmpOyR
Th4GNZ3CbkB8+aL3UtL5kw9lF/rSBbRVQemIYJ0Vi0txTGnFGP3cVccezUrQN9Ys
Ds44iW9lASy7kPDkak2x6E/U8+cRh3xjsaQr1k8CgYEAvP3SIS5YeoVUHmhC8xX8
5pMD5nB+LmUTd0/ljAm6DVjO1kP+TPGmsCBknN5R96QdCsXt+IjT/H53B8EIssRd
YqnusXzzcYNrmgH5pUkw5VPxraLl1MsEuQsSoZ8YzkkoXbL6XD+DFGmbgnIFTh0v
0UABnRq2GL4EzZMUTCixtfo=
-----END PRIVATE KEY-----
)";
inline const std::string short_rsa_test_key = R"(-----BEGIN PRIVATE KEY-----
MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAKvuY+GYHNK9mMzA
JLLIqb6mKYpUMbPf9GFLd7MWzxxN8yl8Bh4m7T2YL8xdnjy2mtS/9+mT38Dm13fu
SPvwWADDzPLRRXrY1Wp35qqDVg/9HmfGEAO4JxyhGUcxmG2M2Ks7QikSEaqShiH6
RcxZA75653QJzOZ37ccuOeh7ON17AgMBAAECgYEAkEp0RssbPX3i88s5wVWIp7jZ
2f7I67XDabglUAaPcKi2rxUoKTvwFKZZTwEuoLN7g5tMWxpASasyH7O6Sr4ti64B
kBJqeI+itJRQxKvf7sILQhz5kFCAWiYJ4wd76Nb9YDDW/OZIgNbmJmNGGadCm5Io
pIE3Kyb7z1p4BnggU0kCQQDevgv/dqvCpd0C6aubzRPCaqgFFNCwkWvoYA7Prz+g
gZ27+LIquAAGG0C1o7M5h/2UOXr0I6TWfFrdky00KsRtAkEAxZosC6MSMbYDqCv3
9i4MUeP95iwBMarRjDQUPlZMDB6k/CWOd83iA4s3wo1+QODBkCglFEjy/1oE1yZE
yvtohwJAN4kCzMr1wC5CkHtaQho7lvmosruh3KQlV2a7yqRTJN2sSjWTlnsR5nPd
CmyqPundG5vJQB2y95dBwIT1fFA9cQJAYGibCsZyLwzV9ewV2+eVnTK2guF/Z6Mm
/9e89LkX+2XMKzWLsAokNoRrHSH5sl+2MMZVaPM6k7lw2SPTtpE46wJAKqz7z9fS
+0+snjaHwVgeDZWfzeCCDhTcZDSCJkyPblrvDc2fq0OLMHEcjZc/dC9+Hx/9kRw3
kvlgJ4Va1cj8Eg==
-----END PRIVATE KEY-----
)";
inline const std::string ec_test_key = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWPLhQUhxvDc3/4Kt
aFoUaSBZonRKS/VNDrpRAikoOUehRANCAAQoJ31BwKwxkIutazx+13WUX68FvaOo
cB+mfup0B9ugs56HMZ1L0+O7/zdUCFVlas4ABzT8Ur5yjY48V5glBOeR
-----END PRIVATE KEY-----
)";

/// The sample `auth/NAME.json` with some fields replaced.
inline std::string credential_sample(const std::string& name, boost::json::object changes = {}) {
  boost::json::object file = boost::json::parse(read_sample("auth/" + name + ".json")).as_object();
  for (const auto& [key, value] : changes) file[key] = value;
  return boost::json::serialize(file);
}

inline std::string service_account_sample(boost::json::object changes = {}) {
  changes["private_key"] = rsa_test_key;
  return credential_sample("service_account", std::move(changes));
}

}  // namespace rollcall::testing
