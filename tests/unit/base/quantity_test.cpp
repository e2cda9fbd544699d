#include "gedge/base/quantity.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>

using gedge::parse_milli;
using gedge::parse_quantity;
using gedge::parse_units;
using gedge::QuantityFormat;

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

std::string canonical(const std::string& text) {
  const auto quantity = parse_quantity(text);
  return quantity ? quantity->canonical : "refused";
}

}  // namespace

TEST_CASE("cores are read in thousandths") {
  CHECK(parse_milli("250m") == 250);
  CHECK(parse_milli("1") == 1000);
  CHECK(parse_milli("0.5") == 500);
  CHECK(parse_milli("1.5k") == 1'500'000);
  CHECK(parse_milli("2e-1") == 200);
  CHECK(parse_milli("0") == 0);
  CHECK(parse_milli("-1.5") == -1500);
}

TEST_CASE("bytes are read in units") {
  CHECK(parse_units("128Mi") == 128 * 1024 * 1024);
  CHECK(parse_units("1.5Gi") == 1'610'612'736);
  CHECK(parse_units("128974848") == 128'974'848);
  CHECK(parse_units("129e6") == 129'000'000);
  CHECK(parse_units("129M") == 129'000'000);
  CHECK(parse_units("128974848000m") == 128'974'848);
}

TEST_CASE("common amounts are those of the reader that knows all forms") {
  for (const std::string digits :
       {"0", "1", "7", "09", "64", "999", "1000", "1001", "1536", "000000001", "8589934", "8796094",
        "999999999", "0999999999", "1000000000", "9223372036854775807", "99999999999999999999"}) {
    for (const char* suffix : {"", "m", "Ki", "Mi", "Gi", "Ti", "k", "M", "G", "K", "i", "mi",
                               "Mi ", "u", "e0", ".", "Kim", "MiB"}) {
      CAPTURE(digits + suffix);
      const auto whole = parse_quantity(digits + suffix);
      CHECK(parse_milli(digits + suffix) == (whole ? whole->milli : std::nullopt));
      CHECK(parse_units(digits + suffix) == (whole ? whole->value : std::nullopt));
    }
  }
}

TEST_CASE("fractions are rounded away from zero") {
  CHECK(parse_units("1m") == 1);
  CHECK(parse_units("-1m") == -1);
  CHECK(parse_units("1.000000001") == 2);
  CHECK(parse_milli("1n") == 1);
  CHECK(parse_milli("100.0001m") == 101);
  CHECK(parse_milli("-100.0001m") == -101);
  CHECK(parse_milli("100.0000m") == 100);
  CHECK(parse_units("0.1Ki") == 103);  // 102.4
  CHECK(parse_units("1e-2147483647") == 1);
}

TEST_CASE("a suffix E is exa and E with digits an exponent") {
  CHECK(parse_units("1E") == 1'000'000'000'000'000'000);
  CHECK(parse_units("1E3") == 1000);
  CHECK(parse_units("1e3") == 1000);
  CHECK(parse_units("1E+3") == 1000);
  CHECK(parse_units("1E-3") == 1);
  CHECK(parse_units("1Ei") == std::int64_t{1} << 60);
  CHECK(parse_quantity("1E")->format == QuantityFormat::kDecimalSI);
  CHECK(parse_quantity("1E3")->format == QuantityFormat::kDecimalExponent);
  CHECK_FALSE(parse_quantity("1e"));
  CHECK_FALSE(parse_quantity("1E+"));
  CHECK_FALSE(parse_quantity("1e1.5"));
  CHECK_FALSE(parse_quantity("1ee1"));
}

TEST_CASE("the ends of int64 are reached and not passed") {
  CHECK(parse_units("9223372036854775807") == kMax);
  CHECK(parse_units("9223372036854775806.5") == kMax);
  CHECK_FALSE(parse_units("9223372036854775807.5"));
  CHECK_FALSE(parse_units("9223372036854775808"));
  CHECK(parse_units("-9223372036854775808") == kMin);
  CHECK_FALSE(parse_units("-9223372036854775809"));
  CHECK_FALSE(parse_units("-9223372036854775808.1"));
  CHECK_FALSE(parse_units("18446744073709551615.5"));
  CHECK_FALSE(parse_units("18446744073709551616"));
  CHECK_FALSE(parse_units("10E"));
  CHECK(parse_milli("9223372036854775.807") == kMax);
  CHECK_FALSE(parse_milli("9223372036854775.8071"));
  CHECK_FALSE(parse_milli("9223372036854775.808"));
  CHECK_FALSE(parse_milli("1E"));
}

TEST_CASE("binary amounts are capped where decimal ones leave int64") {
  CHECK(parse_units("8Ei") == kMax);
  CHECK(parse_units("-8Ei") == -kMax);
  CHECK(parse_units("7.9999999999999999999999Ei") == kMax);
  CHECK(parse_units("99999999999999999999999Ki") == kMax);
  CHECK(parse_units("9007199254740991.9990234375Ki") == kMax);
  CHECK(parse_units("9007199254740991.998Ki") == kMax - 1);
  CHECK_FALSE(parse_milli("8Ei"));
  CHECK(canonical("8Ei") == "9223372036854775807");
}

TEST_CASE("missing digits are zero but something must be there") {
  for (const char* text :
       {".", "+", "-", "Ki", "m", "-.", "0", "000", ".0", "0.", "-0", "+0Gi", "0e5"}) {
    CAPTURE(text);
    CHECK(parse_units(text) == 0);
    CHECK(parse_quantity(text)->sign == 0);
    CHECK(canonical(text) == "0");
  }
  CHECK(parse_units(".5") == 1);
  CHECK(parse_milli("5.") == 5000);
  // Kubernetes reads these with its big decimal, which wants a digit.
  CHECK_FALSE(parse_quantity("Ei"));
  CHECK_FALSE(parse_quantity("e-10"));
}

TEST_CASE("what is no amount is refused by all three readers") {
  for (const char* text : {"",
                           " 1",
                           "1 ",
                           "1 Gi",
                           "++1",
                           "+-1",
                           "1..2",
                           "1.2.3",
                           "0x10",
                           "1_000",
                           "1,5",
                           "NaN",
                           "Inf",
                           "1K",
                           "1ki",
                           "1mi",
                           "1Gib",
                           "1GB",
                           "1kk",
                           "1i",
                           "i",
                           "1e1e1",
                           "1\xc3\xa4",
                           "\xef\xbc\x91",
                           "1e2147483648",
                           "1e-99999999999999999999",
                           "one"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_quantity(text));
    CHECK_FALSE(parse_milli(text));
    CHECK_FALSE(parse_units(text));
  }
  CHECK_FALSE(parse_units(std::string("1\0", 2)));
}

TEST_CASE("the canonical form is exact and as short as Kubernetes makes it") {
  CHECK(canonical("1024Ki") == "1Mi");
  CHECK(canonical("1.5Gi") == "1536Mi");
  CHECK(canonical("0.5Ki") == "512");
  CHECK(canonical("1023Ki") == "1023Ki");
  CHECK(canonical("1000m") == "1");
  CHECK(canonical("1500m") == "1500m");
  CHECK(canonical("-1500000") == "-1500k");
  CHECK(canonical("0.1n") == "1n");
  CHECK(canonical("999999999.9999999999") == "1G");
  CHECK(canonical("12e7") == "120e6");
  CHECK(canonical("1e1") == "10");
  CHECK(canonical("0.0001e3") == "100e-3");
  CHECK(canonical("1024.5Ki") == "1049088");
  CHECK(canonical("1.0001Ki") == "1024102400u");
}

TEST_CASE("an amount of a million digits is answered in linear time") {
  const std::string nines(1'000'000, '9');
  CHECK_FALSE(parse_units(nines));
  CHECK(parse_units(nines + "Ki") == kMax);
  CHECK(parse_units("0." + nines) == 1);
  CHECK(parse_units("0." + nines + "Ei") == std::int64_t{1} << 60);
  std::string zeros(1'000'000, '0');
  zeros += '7';
  CHECK(parse_units(zeros) == 7);
  CHECK(parse_milli("1e" + std::string(1'000'000, '0') + "2") == 100'000);
  CHECK_FALSE(parse_units("1e" + nines));
  CHECK(canonical(nines) == nines);
  CHECK(canonical(nines + "e-1000000") == "1");
  CHECK(canonical("1" + std::string(999'999, '0')) == "1");  // 1.20 has no suffix for it
}

TEST_CASE("Unicode white space around an amount is trimmed") {
  CHECK(gedge::trim_quantity(" \t1Gi\r\n") == "1Gi");
  CHECK(gedge::trim_quantity("\u00a01\u3000\u2003") == "1");
  CHECK(gedge::trim_quantity("1 2") == "1 2");
  CHECK(gedge::trim_quantity("\u200b1") == "\u200b1");
  CHECK(gedge::trim_quantity(" \u2028 ").empty());
}

TEST_CASE("amounts are printed in the shortest exact form") {
  CHECK(gedge::format_milli(1500) == "1500m");
  CHECK(gedge::format_milli(2000) == "2");
  CHECK(gedge::format_milli(0) == "0");
  CHECK(gedge::format_milli(-500) == "-500m");
  CHECK(gedge::format_milli(kMax) == "9223372036854775807m");
  CHECK(gedge::format_bytes(std::int64_t{3} << 30) == "3Gi");
  CHECK(gedge::format_bytes(std::int64_t{700} << 20) == "700Mi");
  CHECK(gedge::format_bytes(12'345) == "12345");
  CHECK(gedge::format_bytes(0) == "0");
  CHECK(gedge::format_bytes(1024) == "1Ki");
  CHECK(gedge::format_bytes(-1024) == "-1Ki");
  CHECK(gedge::format_bytes(kMin) == "-8Ei");
}

TEST_CASE("what is printed is read back as the same number") {
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{999}, std::int64_t{1023},
        std::int64_t{1} << 40, std::int64_t{1'000'000'007}, kMax, -kMax}) {
    CAPTURE(number);
    CHECK(parse_milli(gedge::format_milli(number)) == number);
    CHECK(parse_units(gedge::format_bytes(number)) == number);
  }
}
