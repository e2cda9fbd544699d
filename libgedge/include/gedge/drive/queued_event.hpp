// gedge/drive/queued_event.hpp - an Event that is to be written.
#pragma once

#include <optional>

#include "gedge/control/event_ledger.hpp"
#include "gedge/port/api_transport.hpp"

namespace gedge {

struct QueuedEvent {
  ApiRequest request;
  std::optional<SentEvent> sent;  ///< where the same may be told again
};

}  // namespace gedge
