#include "io/answer_probes.hpp"

#include "io/probe_payload.hpp"

namespace gedge {

std::size_t answer_probes(int fd, PacketBatch& room, std::size_t batches) {
  std::size_t answered = 0;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const std::size_t count = room.receive(fd, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const auto bytes = room.received(i);
      if (bytes.size() < kLeastProbeSize) continue;
      ProbePayload payload = read_payload(bytes.data());
      if (payload.mark != kQuestionMark) continue;
      payload.mark = kAnswerMark;
      write_payload(room.packet(i).data(), payload);
      if (room.send_back(fd, i)) ++answered;
    }
    if (count < room.capacity()) break;
  }
  return answered;
}

}  // namespace gedge
