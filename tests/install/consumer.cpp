// Derives a resolver of its own from the installed library, and asks it and a built-in one. Asio comes first here, before any
// header of the standard library, and must allocate as it does in the library.
#include <asio/detail/config.hpp>
#ifndef ASIO_HAS_STD_ALIGNED_ALLOC
#error "Asio would free with operator delete what the library took with aligned_alloc"
#endif
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/use_future.hpp>
#include <cstdio>
#include <memory>

#include "rollcall/resolver.hpp"
#include "rollcall/runtime.hpp"

class FixedResolver final : public rollcall::ClusterResolver {
 public:
  explicit FixedResolver(rollcall::Runtime runtime) : ClusterResolver(std::move(runtime)) {}
  std::string describe() const override { return "fixed"; }
  asio::awaitable<rollcall::Result<rollcall::ClusterSpec>> do_cluster_spec(rollcall::Call&) override {
    rollcall::ClusterSpec spec;
    co_return spec;
  }
};

asio::awaitable<bool> ask(rollcall::Runtime& runtime) {
  const auto own = std::make_shared<FixedResolver>(runtime);
  const rollcall::ClusterSpec empty = co_await own->cluster_spec();
  const auto simple = rollcall::make_resolver(runtime, "simple:job.worker=10.0.0.1:8470+10.0.0.2:8470");
  if (!simple) co_return false;
  const rollcall::ClusterSpec spec = co_await (*simple)->cluster_spec();
  co_return empty.jobs().empty() && spec.num_tasks("worker").value() == 2;
}

int main() {
  asio::io_context io;
  rollcall::Runtime runtime(io.get_executor());
  auto answer = asio::co_spawn(io, ask(runtime), asio::use_future);
  io.run();
  const bool is_right = answer.get();
  std::puts(is_right ? "consumed" : "wrong answer");
  return is_right ? 0 : 1;
}
