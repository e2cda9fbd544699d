// Every reader of latency: no input may crash it, and what it accepts is written and read back
// alike.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gedge/codec/latency.hpp"
#include "gedge/codec/synthetic.hpp"
#include "gedge/codec/write.hpp"

namespace {

using namespace gedge;

void require(bool fact) {
  if (!fact) std::abort();
}

RttOptions options_of(std::uint8_t choice) {
  RttOptions options;
  options.unit = choice % 3 == 0   ? TimeUnit::kMilli
                 : choice % 3 == 1 ? TimeUnit::kMicro
                                   : TimeUnit::kSecond;
  options.zero_is_value = (choice & 4) != 0;
  options.stat = static_cast<RttStat>((choice >> 3) & 3);
  if ((choice & 32) != 0) options.names = {"a", "b", "c"};
  if ((choice & 64) != 0) options.rtt_by = "zone";
  if ((choice & 128) != 0) {
    options.max_age = Micros{60'000'000};
    options.now = 1'800'000'000;
  }
  return options;
}

void check_places(const Errors& errors) {
  for (const Error& error : errors) {
    require(!error.what.empty());
    require(error.where.line >= 0 && error.where.column >= 0);
  }
}

void check_matrix(const RttMatrix& matrix) {
  if (matrix.size() > 64) return;
  RttOptions options;
  options.zero_is_value = true;
  const RttReading back = read_rtt({{{"again.json", write(matrix, TextFormat::kJson)}}}, options);
  require(back.errors.empty());
  require(back.matrix.size() == matrix.size());
  for (std::uint32_t i = 0; i < matrix.size(); ++i)
    for (std::uint32_t j = 0; j < matrix.size(); ++j)
      require(i == j ||
              back.matrix.at(NameIndex{i}, NameIndex{j}) == matrix.at(NameIndex{i}, NameIndex{j}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::uint8_t choice = size == 0 ? 0 : data[0];
  const std::string text(reinterpret_cast<const char*>(data) + (size == 0 ? 0 : 1),
                         size == 0 ? 0 : size - 1);
  const RttReading reading = read_rtt({{{"folder/fuzzPing.csv", text}}}, options_of(choice));
  check_places(reading.errors);
  require(reading.errors.empty() || reading.matrix.empty());
  if (reading.errors.empty()) check_matrix(reading.matrix);
  check_places(read_rtt_names({"names.json", text}).errors);
  if (text.find("nodes=") == std::string::npos &&
      text.find("tiers=") == std::string::npos)  // keep sites small
    if (const auto site = read_synthetic(text); !site) require(!site.error().what.empty());
  return 0;
}
