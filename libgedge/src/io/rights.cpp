// Capabilities by the system's own calls: three numbers are all that is asked of them.
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "gedge/io/system_network.hpp"

namespace gedge {

// What the kernel refuses here is what the process does not have.
void SystemNetwork::give_up_rights(std::optional<ProbeMethod> still_to_open) {
  const bool raw = still_to_open == ProbeMethod::kIcmp;
  static_cast<void>(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  static_cast<void>(::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return;
  const std::uint32_t kept = raw ? sets[0].permitted & (1U << CAP_NET_RAW) : 0;
  sets = {};
  sets[0].effective = sets[0].permitted = kept;
  static_cast<void>(::syscall(SYS_capset, &header, sets.data()));
}

}  // namespace gedge
