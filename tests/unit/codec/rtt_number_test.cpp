#include "codec/rtt_number.hpp"

#include <doctest/doctest.h>

#include <random>

namespace gedge::codec {
namespace {

std::int64_t us(std::string_view text, TimeUnit unit = TimeUnit::kMilli) {
  const ParsedRtt parsed = parse_rtt(text, unit);
  return parsed.cell == Cell::kValue ? std::int64_t{parsed.rtt.us} : -1;
}

Cell cell(std::string_view text) { return parse_rtt(text, TimeUnit::kMilli).cell; }

TEST_CASE("rtt number: decimal text of any length, exactly, rounded up") {
  CHECK(us("0") == 0);
  CHECK(us("-0") == 0);
  CHECK(us("+1") == 1000);
  CHECK(us(".5") == 500);
  CHECK(us("5.") == 5000);
  CHECK(us("0.0001") == 1);
  CHECK(us("0.001") == 1);
  CHECK(us("0.0010000000000000000000000000000000001") == 2);
  CHECK(us("1E-3") == 1);
  CHECK(us("0.29") == 290);  // 0.29 * 1000 is 289.99999999999994 in doubles
  CHECK(us("1.1e+2") == 110000);
  CHECK(us("1e-400000000000") == 1);
  CHECK(us("0e400000000000") == 0);
  CHECK(us("00000000000000000000000000000000000000000001") == 1000);
  CHECK(us("1000000000000000000000000e-24") == 1000);
  CHECK(us("12345678901234567890e-19", TimeUnit::kSecond) == 1234568);
  CHECK(us("4294967294", TimeUnit::kMicro) == 4294967294);
  CHECK(us("4294.967294", TimeUnit::kSecond) == 4294967294);
}

TEST_CASE("rtt number: what is refused, and what is missing") {
  CHECK(cell("") == Cell::kUnmeasured);
  CHECK(cell("-") == Cell::kUnmeasured);
  for (const char* text : {"nan", "NaN", "-nan", "inf", "+Inf", "-INFINITY", ".inf", "-.INF"}) {
    CAPTURE(text);
    CHECK(cell(text) == Cell::kNotFinite);
  }
  for (const char* text : {"x", "1x", ".", "+", "--1", "1..2", "1.2.3", "1e", "1e+", "1 2", "0x10",
                           "1_000", "1,5", "10ms", "infinit", "n/a", "e5", "\xd9\xa1"}) {
    CAPTURE(text);
    CHECK(cell(text) == Cell::kNotANumber);
  }
  CHECK(cell("-1") == Cell::kNegative);
  CHECK(cell("-1e-30") == Cell::kNegative);
  CHECK(cell("4294967.295") == Cell::kTooLarge);
  CHECK(cell("1e308") == Cell::kTooLarge);
  CHECK(cell("1e99999999999999999999") == Cell::kTooLarge);
  CHECK(us("4294967295", TimeUnit::kMicro) == -1);
}

TEST_CASE("rtt number: the fast way and the thorough way agree") {
  std::mt19937_64 random(20261121);
  const std::string_view digits = "0123456789..";
  const TimeUnit units[] = {TimeUnit::kMicro, TimeUnit::kMilli, TimeUnit::kSecond};
  int fast = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    const std::size_t length = 1 + random() % 20;
    while (text.size() < length) text += digits[random() % digits.size()];
    const TimeUnit unit = units[random() % 3];
    Rtt rtt;
    std::size_t read = 0;
    if (!parse_plain_rtt(text, ',', unit, rtt, read)) continue;
    ++fast;
    REQUIRE_MESSAGE(read == text.size(), text);
    const ParsedRtt thorough = parse_rtt(text, unit);
    REQUIRE_MESSAGE(thorough.cell == Cell::kValue, text);
    REQUIRE_MESSAGE(thorough.rtt == rtt, text);
    for (const char* behind : {",9.75,12345678", ",", ",.\xFF\xFF\xFF\xFF\xFF\xFF"}) {
      Rtt same;
      REQUIRE_MESSAGE(parse_plain_rtt(text + behind, ',', unit, same, read), text);
      REQUIRE_MESSAGE(read == text.size(), text);
      REQUIRE_MESSAGE(same == rtt, text);
    }
    REQUIRE_FALSE_MESSAGE(parse_plain_rtt(text + ";9.75,12345", ',', unit, rtt, read), text);
  }
  CHECK(fast > 50000);
  Rtt rtt;
  std::size_t length = 0;
  CHECK(parse_plain_rtt("1.5\t2", ' ', TimeUnit::kMilli, rtt, length));
  CHECK(length == 3);
  CHECK_FALSE(parse_plain_rtt("1.5\t2", ',', TimeUnit::kMilli, rtt, length));
  CHECK_FALSE(parse_plain_rtt(",2", ',', TimeUnit::kMilli, rtt, length));
  CHECK_FALSE(parse_plain_rtt("1e3,2", ',', TimeUnit::kMilli, rtt, length));
  CHECK_FALSE(parse_plain_rtt("-1,2", ',', TimeUnit::kMilli, rtt, length));
}

}  // namespace
}  // namespace gedge::codec
