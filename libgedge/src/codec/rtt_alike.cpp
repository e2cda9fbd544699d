#include "codec/rtt_alike.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "codec/rtt_number.hpp"
#include "gedge/base/target_clones.hpp"

namespace gedge::codec {
namespace {

constexpr std::size_t kRows = AlikeRtts::kRows;
constexpr std::size_t kBytes = sizeof(std::uint64_t);
constexpr std::size_t kLastDigit = kBytes - 2;       // before the separator
constexpr std::size_t kBatch = 16;                   // numbers of a row
constexpr std::size_t kFarthest = 2 * kBytes;        // no word moves on by more
constexpr std::uint64_t kOnes = 0x0101010101010101;  // times a byte: that byte everywhere
constexpr std::uint64_t kHigh = kOnes * 0x80;
constexpr std::uint64_t kDigit = 0x76, kNothing = 0x7F;  // to 0x7F: how much a byte may be
// All digits have it. Point, blank, comma and tabulator do not; whatever else has it or not is
// found out later.
constexpr std::uint64_t kDigitBit = 0x10;

constexpr std::uint64_t at_byte(std::size_t byte, std::uint64_t value) {
  return value << (8 * byte);
}
constexpr std::uint64_t from_zero(char c) {
  return static_cast<unsigned char>(c) ^ std::uint64_t{'0'};
}

constexpr std::array<std::uint64_t, 8> kPowers = [] {
  std::array<std::uint64_t, 8> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

struct Taken {
  std::uint64_t number;  // the separator in the highest byte, '0' is 0, nothing before it as well
  std::uint64_t others;  // kDigitBit of each byte that is no digit
  std::size_t length;    // with the separator
};

inline Taken take(const char* at, const AlikeRtts::Form& form) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  const std::uint64_t others = ~word & (kOnes * kDigitBit);
  const auto bit =
      static_cast<std::size_t>(std::countr_zero(others | at_byte(kBytes - 1, kDigitBit)));
  // A number that is too long wraps, and then what is highest is no separator, or no point.
  return {(word ^ (kOnes * '0')) << ((form.shift - bit) & 63), others, bit / 8 + form.behind};
}

/// The high bits of bytes that may not stand there; of the lowest such byte at least.
inline std::uint64_t wrong_bytes(std::uint64_t number, const AlikeRtts::Form& form) {
  const std::uint64_t rest = number ^ form.marks;
  return ((rest + form.allowed) | rest) & kHigh;
}

inline Rtt value_of(std::uint64_t number, const AlikeRtts::Form& form) {
  constexpr std::uint64_t kPairs = 0x000000FF000000FF;
  const std::uint64_t digits = number ^ form.marks;
  // In every second byte a digit and ten times the one before it.
  const std::uint64_t pairs = digits + (digits << 9) + (digits << 11);
  return Rtt{static_cast<std::uint32_t>(
      ((pairs & kPairs) * form.even + ((pairs >> 16) & kPairs) * form.odd) >> 32)};
}

using Places = std::array<const char*, kRows>;

/// True if all were numbers of that form; else what was written is of no use.
inline bool read_batch(Places& places, const AlikeRtts::Form& form, Rtt* cells, std::size_t stride,
                       std::size_t count) {
  std::array<std::array<std::uint64_t, kBatch>, kRows> numbers;
  std::uint64_t others = 0;
  Places at = places;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t row = 0; row < kRows; ++row) {
      const Taken taken = take(at[row], form);
      numbers[row][i] = taken.number;
      others |= taken.others;
      at[row] += taken.length;
    }
  std::uint64_t wrong = others & kDigitBit;  // of the first byte: there is no number
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t i = 0; i < count; ++i) {
      wrong |= wrong_bytes(numbers[row][i], form);
      cells[row * stride + i] = value_of(numbers[row][i], form);
    }
  if (wrong != 0) return false;
  places = at;
  return true;
}

bool is_alike(const Taken& taken, const AlikeRtts::Form& form) {
  return wrong_bytes(taken.number, form) == 0 && (taken.others & kDigitBit) == 0;
}

/// How many numbers came before the first of another form; moves behind those of all rows.
std::size_t pass_alike(Places& places, const AlikeRtts::Form& form) {
  for (std::size_t i = 0;; ++i) {
    Places next = places;
    for (const char*& place : next) {
      const Taken taken = take(place, form);
      if (!is_alike(taken, form)) return i;
      place += taken.length;
    }
    places = next;
  }
}

/// Digits behind the point of the number at the front.
std::size_t fraction_at(std::string_view row) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t point = row.find_first_not_of(kDigits);
  if (point == std::string_view::npos || row[point] != '.') return 0;
  return std::min(row.find_first_not_of(kDigits, point + 1), row.size()) - point - 1;
}

struct Room {
  Rtt* cells;
  std::size_t stride, count;
};

GEDGE_FOR_EACH_TARGET std::size_t read_rows(Places& places, const Places& ends,
                                            const AlikeRtts::Form& shared, Room room) {
  const AlikeRtts::Form form = shared;
  for (std::size_t done = 0;;) {
    std::size_t count = std::min(kBatch, room.count - done);
    for (std::size_t row = 0; row < kRows; ++row)
      count = std::min(count, static_cast<std::size_t>(ends[row] - places[row]) / kFarthest);
    if (count == 0) return done;
    if (!read_batch(places, form, room.cells + done, room.stride, count))
      return done + pass_alike(places, form);
    done += count;
  }
}

}  // namespace

AlikeRtts::AlikeRtts(char separator, TimeUnit unit)
    : separator_(separator), shift_(static_cast<std::size_t>(digits_of(unit))) {
  set_form(0);
}

void AlikeRtts::expect(std::string_view first, std::string_view second) {
  const std::size_t fraction = fraction_at(first);
  if (fraction != fraction_ && fraction == fraction_at(second)) set_form(fraction);
}

void AlikeRtts::set_form(std::size_t fraction) {
  fraction_ = fraction;
  is_of_use_ = std::endian::native == std::endian::little && fraction <= shift_;
  if (!is_of_use_) return;
  const bool pointed = fraction > 0;
  const std::size_t point = pointed ? kLastDigit - fraction : kBytes;
  const std::uint64_t factor = kPowers[shift_ - fraction];
  std::size_t most = kLastDigit + (pointed ? 0 : 1);  // digits
  while ((kPowers[most] - 1) * factor > kMaxRtt.us) --most;
  form_.behind = pointed ? fraction + 2 : 1;
  form_.shift = 8 * (kBytes - form_.behind) + static_cast<std::size_t>(std::countr_zero(kDigitBit));
  form_.marks = at_byte(kBytes - 1, from_zero(separator_));
  if (pointed) form_.marks |= at_byte(point, from_zero('.'));
  form_.allowed = kOnes * kNothing;
  std::array<std::uint64_t, kBytes> weights{};
  std::uint64_t weight = 0;
  for (std::size_t byte = kBytes - 1, digit = 0; byte-- > 0 && digit < most;) {
    // At the point stands the digit before it times ten: it weighs what the digit behind it does.
    if (byte != point) {
      form_.allowed ^= at_byte(byte, kNothing ^ kDigit);
      weight = kPowers[digit++] * factor;
    }
    weights[byte] = weight;
  }
  form_.even = weights[0] << 32 | weights[4];
  form_.odd = weights[2] << 32 | weights[6];
}

std::size_t AlikeRtts::read(Rows& rows, Rtt* cells, std::size_t stride, std::size_t count) const {
  if (!is_of_use_) return 0;
  Places places, ends;
  for (std::size_t row = 0; row < kRows; ++row) {
    places[row] = rows[row].data();
    ends[row] = rows[row].data() + rows[row].size();
  }
  const std::size_t read = read_rows(places, ends, form_, {cells, stride, count});
  for (std::size_t row = 0; row < kRows; ++row)
    rows[row] = {places[row], static_cast<std::size_t>(ends[row] - places[row])};
  return read;
}

}  // namespace gedge::codec
