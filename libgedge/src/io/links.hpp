// io/links.hpp - one function for each way to reach targets.
#pragma once

#include <memory>

#include "gedge/port/probe_network.hpp"

namespace gedge {

Result<std::unique_ptr<ProbeLink>> open_datagram_link(const LinkRequest& request);
Result<std::unique_ptr<ProbeLink>> open_tcp_link(const LinkRequest& request);
Result<std::unique_ptr<ProbeLink>> open_http_link(const LinkRequest& request);

/// Of an errno that a call about one probe left.
Refusal refusal_of(int error_number);

}  // namespace gedge
