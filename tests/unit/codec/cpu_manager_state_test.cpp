#include "gedge/codec/cpu_manager_state.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

namespace gedge {
namespace {

CpuManagerStateReading read(const std::string& text) {
  return read_cpu_manager_state({"cpu_manager_state", text});
}

std::string why_not(const std::string& text) {
  const auto reading = read(text);
  if (reading.errors.empty()) return "";
  CHECK_FALSE(reading.state);
  return reading.errors.front().what;
}

const std::string kEntries =
    R"("entries": {"pod": {"container1": "4-6", "container2": "1-3"}}, "checksum": 3610638499})";

}  // namespace

TEST_CASE("cpu manager state: checksums that upstream's own tests hold") {
  const auto empty = read(
      R"({"policyName": "none", "defaultCPUSet": "4-6", "entries": {}, "checksum": 354655845})");
  REQUIRE(empty.state);
  CHECK(empty.state->cpus.shared == CpuSet{4, 5, 6});
  CHECK(checksum_of(*empty.state) == 354'655'845);
  const auto pods = read(R"({"policyName": "none", "defaultCPUSet": "1-3", )" + kEntries);
  REQUIRE(pods.state);
  CHECK(pods.state->cpus.pods.at("pod").at("container1") == CpuSet{4, 5, 6});
  CHECK(checksum_of(*pods.state) == 3'610'638'499);
  CHECK(read(R"({"policyName":"other","defaultCPUSet":"1-3","entries":{},"checksum":1394507217})")
            .state->policy == "other");
}

TEST_CASE("cpu manager state: as kubelets up to 1.17 wrote it, without pods") {
  CHECK(read(R"({"policyName": "none", "defaultCPUSet": "1-3", "checksum": 1694838852})").state);
  const auto old = read(
      R"({"policyName": "none", "defaultCPUSet": "1-3", "checksum": 3680390589,
          "entries": {"containerID1": "4-6", "containerID2": "1-3"}})");
  REQUIRE(old.state);
  CHECK(old.state->cpus.pods.at("").at("containerID1") == CpuSet{4, 5, 6});
}

TEST_CASE("cpu manager state: data wins over what stands beside it") {
  const std::string data =
      R"("data": "{\"policyName\":\"static\",\"defaultCpuSet\":\"0-1\",\"news\":1}", )";
  const std::string outside = R"({"policyName": "none", "defaultCpuSet": "7", "checksum": 0, )";
  const auto reading = read(outside + data + R"("dataChecksum": 2457795593})");
  CHECK(why_not(outside + data + R"("dataChecksum": 1234})") == "checkpoint is corrupted");
  CHECK(why_not(outside + data + R"("more": 1})") == "checkpoint is corrupted");
  REQUIRE(reading.state);
  CHECK(reading.state->policy == "static");
  CHECK(reading.state->cpus.shared == CpuSet{0, 1});
}

TEST_CASE("cpu manager state: what is written is read back, and a byte that changes is noticed") {
  const CpuManagerState state{
      "static", {CpuSet{0, 1, 6, 7}, {{"b", {{"c", CpuSet{2, 3}}}}, {"a", {{"d", CpuSet{4, 5}}}}}}};
  const std::string text = write_cpu_manager_state(state);
  CHECK(text.substr(0, text.find("checksum")) ==
        R"({"policyName":"static","defaultCpuSet":"0-1,6-7","entries":{"a":{"d":"4-5"},)"
        R"("b":{"c":"2-3"}},")");
  CHECK(read(text).state == state);
  using Change = std::pair<std::string, std::string>;
  for (const Change& change : {Change{"static", "statix"}, Change{"0-1,6-7", "0-1,6"},
                               Change{"\"d\"", "\"e\""}, Change{"4-5", "4-6"}}) {
    std::string changed = text;
    changed.replace(changed.find(change.first), change.first.size(), change.second);
    CHECK(why_not(changed) == "checkpoint is corrupted");
  }
  CHECK(write_cpu_manager_state({"none", {}}).find("entries") == std::string::npos);
}

TEST_CASE("cpu manager state: what was written is recognised, and nothing that differs in a byte") {
  const CpuManagerState free{"static", {CpuSet::range(0, 7), {}}};
  const CpuManagerState held{
      "static", {CpuSet{0, 7}, {{"4-1", {{"run", CpuSet{2, 3}}}}, {"g", {{"/a b", CpuSet{5}}}}}}};
  for (const CpuManagerState& state : {free, held}) {
    const std::string text = write_cpu_manager_state(state);
    CHECK(recognise_cpu_manager_state(text) == state);
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string changed = text;
      changed[i] = changed[i] == '1' ? '2' : '1';
      CHECK_FALSE(recognise_cpu_manager_state(changed));
      CHECK_FALSE(recognise_cpu_manager_state(text.substr(0, i)));
      CHECK_FALSE(recognise_cpu_manager_state(text.substr(0, i) + ' ' + text.substr(i)));
    }
    CHECK_FALSE(recognise_cpu_manager_state(text + '\n'));
  }
  const std::string head = R"({"policyName":"static","defaultCpuSet":"0-7",)";
  for (const char* const rest :
       {R"("checksum":0})", R"("entries":null,"checksum":1})", R"("entries":[],"checksum":1})",
        R"("entries":{"a":"1"},"checksum":1})", R"("entries":{"a":{"b":1}},"checksum":1})",
        R"("entries":1,"checksum":1})", R"("entries":{"a":{}},"checksum":1})", "}", ""})
    CHECK_FALSE(recognise_cpu_manager_state(head + rest));
  for (const char* const text : {"", "null", "[]", "{}", R"({"policyName":1})",
                                 R"({"policyName":"static","defaultCpuSet":"x"})"})
    CHECK_FALSE(recognise_cpu_manager_state(text));
}

TEST_CASE("cpu manager state: broken ones say where") {
  CHECK_FALSE(why_not("").empty());
  CHECK_FALSE(why_not("{").empty());
  CHECK_FALSE(why_not("[]").empty());
  CHECK_FALSE(why_not(R"({"policyName": []})").empty());
  CHECK_FALSE(why_not(R"({"entries": {"a": {"b": 1}}})").empty());
  CHECK_FALSE(why_not(R"({"checksum": -1})").empty());
  CHECK(why_not(R"({"policyName": "none", "defaultCPUSet": "1.3", "entries": {},
                    "checksum": 3021697696})")
            .find("could not parse default cpu set") == 0);
  const std::string entry = R"({"policyName": "none", "defaultCPUSet": "1-3", "entries":
      {"pod": {"container1": "4-6", "container2": "asd"}}, "checksum": 962272150})";
  CHECK(why_not(entry).find(
            "could not parse cpuset 'asd' for container 'container2' in pod 'pod'") == 0);
  CHECK(read(entry).errors.front().where.line > 0);
}

}  // namespace gedge
