// render/numbers.hpp - numbers as people read them: one decimal place, one unit for a column.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gedge::cli {

/// Writes durations of one column in one unit, chosen by the largest: "800 us", "11.9 ms", "12.0
/// s".
class DurationColumn {
 public:
  explicit DurationColumn(const std::vector<std::int64_t>& micros);
  std::string text(std::int64_t micros) const;

 private:
  std::int64_t divisor_ = 1;  // microseconds in one unit
};

/// "11.9 > 10.0 ms"; where one decimal place would make both sides equal, as many as it takes.
std::string over_limit(std::int64_t measured_us, std::int64_t limit_us);

/// Writes amounts of bytes of one column in one unit: "512.0 MiB", "1.5 GiB".
class BytesColumn {
 public:
  explicit BytesColumn(const std::vector<std::int64_t>& bytes);
  std::string text(std::int64_t bytes) const;

 private:
  std::size_t unit_ = 0;
};

/// "38 %"; "-" where `whole` is 0. Rounded down, so that 100 % means all of it.
std::string percent(std::int64_t part, std::int64_t whole);

/// "1 pod", "3 pods".
std::string counted(std::size_t count, std::string_view noun);

}  // namespace gedge::cli
