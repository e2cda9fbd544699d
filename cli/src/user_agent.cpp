#include "user_agent.hpp"

#include "gedge/version.hpp"

namespace gedge::cli {
namespace {

constexpr std::string_view kPlatform =
#if defined(__x86_64__)
    "linux/amd64";
#elif defined(__i386__)
    "linux/386";
#elif defined(__aarch64__)
    "linux/arm64";
#elif defined(__arm__)
    "linux/arm";
#elif defined(__riscv)
    "linux/riscv64";
#elif defined(__powerpc64__)
    "linux/ppc64le";
#elif defined(__s390__)
    "linux/s390x";
#elif defined(__loongarch__)
    "linux/loong64";
#else
    "linux/unknown";
#endif

}  // namespace

std::string user_agent(std::string_view component) {
  return "gedge/" + std::string(version()) + " (" + std::string(kPlatform) + ") " +
         std::string(component);
}

}  // namespace gedge::cli
