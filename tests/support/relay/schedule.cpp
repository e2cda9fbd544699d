#include "support/relay/schedule.hpp"

#include <array>
#include <charconv>

namespace gedge::test {
namespace {

// Far enough behind for the next probe to overtake it.
constexpr Micros kOvertakenBy{15'000};
constexpr Micros kDoubledAfter{300};
constexpr std::size_t kMillion = 1'000'000;

constexpr std::size_t kV4Header = 20, kV6Header = 40;
constexpr std::uint8_t kIcmp = 1, kIcmp6 = 58;

std::uint8_t byte(std::string_view packet, std::size_t at) {
  return static_cast<std::uint8_t>(packet[at]);
}
std::uint16_t word(std::string_view packet, std::size_t at) {
  return static_cast<std::uint16_t>(byte(packet, at) << 8 | byte(packet, at + 1));
}

}  // namespace

std::optional<Path> parse_path(std::string_view text) {
  std::array<std::uint32_t, 7> numbers{};
  std::size_t count = 0;
  for (const char* at = text.data(); count < numbers.size();) {
    const char* end = text.data() + text.size();
    const auto [next, code] = std::from_chars(at, end, numbers[count++]);
    if (code != std::errc{}) return std::nullopt;
    if (next == end) break;
    if (*next != ':') return std::nullopt;
    at = next + 1;
  }
  if (count < 3 || numbers[0] > 255) return std::nullopt;
  return Path{static_cast<std::uint8_t>(numbers[0]),
              Micros{numbers[1]},
              Micros{numbers[2]},
              numbers[3],
              numbers[4],
              numbers[5],
              numbers[6]};
}

// The far end is the destination there, the source back; paths differ in the last byte.
std::optional<Passing> read_packet(std::string_view packet, Direction direction) {
  if (packet.size() < kV4Header) return std::nullopt;
  const bool v6 = byte(packet, 0) >> 4 == 6;
  const std::size_t header = v6 ? kV6Header : std::size_t{4} * (byte(packet, 0) & 15U);
  if (packet.size() < header + 8) return std::nullopt;
  const std::size_t far_end =
      v6 ? (direction == Direction::kThere ? 24 : 8) : (direction == Direction::kThere ? 16 : 12);
  Passing passing;
  passing.path = byte(packet, far_end + (v6 ? 15 : 3));
  const bool ours = v6 ? byte(packet, far_end) == 0xfd && byte(packet, far_end + 13) == 1
                       : byte(packet, far_end) == 10 && byte(packet, far_end + 2) == 1;
  if (!ours) return std::nullopt;
  const std::uint8_t protocol = byte(packet, v6 ? 6 : 9), type = byte(packet, header);
  passing.echo = v6 ? protocol == kIcmp6 && (type == 128 || type == 129)
                    : protocol == kIcmp && (type == 8 || type == 0);
  if (passing.echo) {
    passing.ident = word(packet, header + 4);
    passing.sequence = word(packet, header + 6);
  }
  return passing;
}

std::vector<Micros> fate_of(const Path& path, Direction direction, std::uint64_t place,
                            Dice& dice) {
  const auto happens = [&dice](std::uint32_t share) { return dice.below(kMillion) < share; };
  const bool dropped = happens(path.dropped), doubled = happens(path.doubled),
             overtaken = happens(path.overtaken);
  const bool due =
      direction == Direction::kThere && path.drops_each > 0 && place % path.drops_each == 0;
  if (dropped || due) return {};
  Micros delay = direction == Direction::kThere ? path.there : path.back;
  if (overtaken) delay += kOvertakenBy;
  if (doubled) return {delay, delay + kDoubledAfter};
  return {delay};
}

std::string log_line(const Passing& passing, Direction direction, Micros in,
                     std::optional<Micros> out) {
  std::string line = std::to_string(passing.path);
  line += direction == Direction::kThere ? ",there," : ",back,";
  line += std::to_string(passing.ident) + ',' + std::to_string(passing.sequence) + ',';
  line += std::to_string(in.count()) + ',' + (out ? std::to_string(out->count()) : "-") + '\n';
  return line;
}

}  // namespace gedge::test
