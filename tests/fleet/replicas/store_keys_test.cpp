// Keys as replicas spell them, and what is packed behind them.
#include "fleet/replicas/store_keys.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace rollcall::fleet;

TEST_CASE("An id is 26 digits of a digest in base32") {
  // printf abc | sha256sum | xxd -r -p | base32
  CHECK(store_id("abc") == "xj4bnp4pahh6uqkbidpf3lrceo");
  CHECK(store_id("").size() == 26);
}

TEST_CASE("A key is read as it was spelled") {
  const StoreKeys keys("prod");
  const std::string id = store_id("tpu/p/z");
  using Kind = StoreKey::Kind;
  const auto kind_of = [&keys](const std::string& key) { return keys.parse(key).value().kind; };
  CHECK(keys.prefix() == "/rollcall/prod/v1/");
  CHECK(kind_of(keys.meta()) == Kind::meta);
  CHECK(kind_of(keys.replica("a1")) == Kind::replica);
  CHECK(kind_of(keys.owner(id)) == Kind::owner);
  CHECK(kind_of(keys.beat(id)) == Kind::beat);
  CHECK(kind_of(keys.head(id)) == Kind::head);
  CHECK(kind_of(keys.spec(id)) == Kind::spec);
  CHECK(kind_of(keys.want(id, "a1")) == Kind::want);
  CHECK(keys.parse(keys.want(id, "a1"))->replica == "a1");
  CHECK(kind_of(keys.chunk(id, 39)) == Kind::chunk);
  CHECK(keys.parse(keys.chunk(id, 39))->chunk == 39);
  CHECK(keys.parse(keys.chunk(id, 39))->id == id);
  for (const char* const other :
       {"", "/rollcall/prod/v1/", "/rollcall/other/v1/meta", "/rollcall/prod/v1/meta/x", "/rollcall/prod/v1/owner/x",
        "/rollcall/prod/v1/replica/", "/rollcall/prod/v1/replica/a-b", "/rollcall/prod/v1/a/b/c/d"})
    CHECK_FALSE(keys.parse(other));
  CHECK_FALSE(keys.parse(keys.head(id) + "/39"));
  CHECK_FALSE(keys.parse(keys.head(id) + "/0x9"));
  CHECK_FALSE(keys.parse(keys.want(id, "../a")));
}

TEST_CASE("What is packed comes out again, and never more than is allowed") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i);
  const std::string packed = pack_record(text);
  CHECK(packed.size() < text.size());
  CHECK(value_of(unpack_record(packed, text.size())) == text);
  CHECK(value_of(unpack_record(pack_record(""), 0)).empty());
  CHECK(unpack_record(packed, text.size() - 1).error().code() == Errc::limit_exceeded);
  const std::string bomb = pack_record(std::string(std::size_t{64} << 20, ' '));
  CHECK(bomb.size() < 100'000);
  CHECK(unpack_record(bomb, most_chunk_bytes).error().code() == Errc::limit_exceeded);
  CHECK(unpack_record(packed.substr(0, packed.size() / 2), text.size()).error().code() == Errc::malformed_response);
  CHECK(unpack_record("", 100).error().code() == Errc::malformed_response);
  CHECK(unpack_record("not packed at all", 100).error().code() == Errc::malformed_response);
}
