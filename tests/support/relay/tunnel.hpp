// support/relay/tunnel.hpp - a network namespace of our own, and a TUN device that is its only way
// out.
#pragma once

#include <string>

namespace gedge::test {

/// Puts this process into a new network namespace; without the right to, into one of a new user
/// namespace, where it has every right. Empty on success, else why not.
std::string enter_new_network(bool new_user);

/// A device of the present namespace with these addresses (IPv4 /16, IPv6 /64), up, and loopback
/// too. Returns a descriptor that does not block, or -1; `why` says what failed.
int open_tunnel(const std::string& name, const std::string& v4, const std::string& v6,
                std::string& why);

/// One more address of the device.
bool add_address(const std::string& name, int label, const std::string& v4, const std::string& v6);

}  // namespace gedge::test
