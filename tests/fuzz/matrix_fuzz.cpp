// Every reader of latency: no input may crash it, and what it accepts is written and read back
// alike.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gedge/codec/latency.hpp"
#include "gedge/codec/synthetic.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/codec/write_latency.hpp"

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
  options.cost_unit = options.unit;
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

void require_same(const RttReading& back, const RttMatrix& matrix) {
  require(back.errors.empty());
  require(back.matrix.size() == matrix.size());
  for (std::uint32_t i = 0; i < matrix.size(); ++i)
    for (std::uint32_t j = 0; j < matrix.size(); ++j)
      require(i == j ||
              back.matrix.at(NameIndex{i}, NameIndex{j}) == matrix.at(NameIndex{i}, NameIndex{j}));
}

void check_matrix(const RttMatrix& matrix) {
  if (matrix.size() > 64) return;
  RttOptions options;
  options.zero_is_value = true;
  require_same(read_rtt({{{"again.json", write(matrix, TextFormat::kJson)}}}, options), matrix);
}

/// Every format that holds the names either refuses or gives the same matrix again.
void check_formats(const RttReading& reading, RttStat stat) {
  if (reading.matrix.size() > 64 || reading.matrix.empty()) return;
  RttOptions options;
  options.zero_is_value = true;
  options.keep_details = true;
  for (const RttOutput output : {RttOutput::kJson, RttOutput::kSquareCsv, RttOutput::kEdgeList}) {
    const WrittenRtt written = write_rtt(reading.matrix, reading.details, output);
    require(written.errors.empty() != written.text.empty());
    if (!written.errors.empty()) continue;
    // JSON has no place for a number of no known statistic beside the others; p95 stands for it.
    if (output == RttOutput::kJson && stat != RttStat::kP95) continue;
    options.stat = stat;
    require_same(read_rtt({{{"again", written.text}}}, options), reading.matrix);
  }
  const WrittenRtt plain = write_rtt(reading.matrix, reading.details, RttOutput::kPlain);
  require(plain.errors.empty());
  options.names = read_rtt_names({"names.json", plain.names}).names;
  if (options.names.size() != reading.matrix.size()) return;  // two names that JSON writes alike
  require(read_rtt({{{"again", plain.text}}}, options).errors.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::uint8_t choice = size == 0 ? 0 : data[0];
  const std::string text(reinterpret_cast<const char*>(data) + (size == 0 ? 0 : 1),
                         size == 0 ? 0 : size - 1);
  RttOptions options = options_of(choice);
  const RttReading reading = read_rtt({{{"folder/fuzzPing.csv", text}}}, options);
  check_places(reading.errors);
  options.keep_details = true;
  const RttReading detailed = read_rtt({{{"folder/fuzzPing.csv", text}}}, options);
  if (reading.errors.empty()) require_same(detailed, reading.matrix);
  if (detailed.errors.empty()) check_formats(detailed, options.stat);
  require(reading.errors.empty() || reading.matrix.empty());
  if (reading.errors.empty()) check_matrix(reading.matrix);
  check_places(read_rtt_names({"names.json", text}).errors);
  if (text.find("nodes=") == std::string::npos &&
      text.find("tiers=") == std::string::npos)  // keep sites small
    if (const auto site = read_synthetic(text); !site) require(!site.error().what.empty());
  return 0;
}
