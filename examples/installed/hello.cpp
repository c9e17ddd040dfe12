// Prints the machines of a target, by the library that was installed or fetched: hello simple:job.worker=10.0.0.1:8470
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/use_future.hpp>
#include <cstdio>

#include "rollcall/resolver.hpp"
#include "rollcall/runtime.hpp"

int main(int count, char** arguments) {
  asio::io_context io;
  rollcall::Runtime runtime(io.get_executor());
  const auto resolver = rollcall::make_resolver(runtime, count > 1 ? arguments[1] : "auto:");
  if (!resolver) return std::fprintf(stderr, "%s\n", resolver.error().message().c_str()), 2;
  auto answer = asio::co_spawn(io, (*resolver)->try_cluster_spec(), asio::use_future);
  io.run();
  const rollcall::Result<rollcall::ClusterSpec> spec = answer.get();
  if (!spec) return std::fprintf(stderr, "%s\n", spec.error().message().c_str()), 1;
  for (const auto& job : spec->jobs()) std::printf("%s: %zu\n", job.c_str(), static_cast<std::size_t>(spec->num_tasks(job).value()));
}
