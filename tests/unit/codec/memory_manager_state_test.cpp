#include "gedge/codec/memory_manager_state.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace gedge {
namespace {

MemoryManagerStateReading read(const std::string& text) {
  return read_memory_manager_state({"memory_manager_state", text});
}

std::string why_not(const std::string& text) {
  const auto reading = read(text);
  if (reading.errors.empty()) return "";
  CHECK_FALSE(reading.state);
  return reading.errors.front().what;
}

// Of upstream's own tests, with their checksums.
const std::string kInside =
    R"("policyName":"static","machineState":{"0":{"numberOfAssignments":0,"memoryMap":{"memory":)"
    R"({"total":2048,"systemReserved":512,"allocatable":1536,"reserved":512,"free":1024}},)"
    R"("cells":[]}},"entries":{"pod":{"container1":[{"numaAffinity":[0],"type":"memory",)"
    R"("size":512}]}})";
const MemoryManagerState kState{"static",
                                {{{0, {0, {{"memory", {2048, 512, 1536, 512, 1024}}}, {}}}},
                                 {{"pod", {{"container1", {{{0}, "memory", 512}}}}}}}};

std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\\');
  return '"' + text + '"';
}

}  // namespace

TEST_CASE("memory manager state: checksums that upstream's own tests hold") {
  CHECK(read('{' + kInside + R"(,"checksum":4215593881})").state == kState);
  CHECK(read('{' + kInside + R"(,"checksum":0})").state == kState);
  CHECK(read('{' + kInside + '}').state == kState);
  CHECK(why_not('{' + kInside + R"(,"checksum":101010})") == "checkpoint is corrupted");
}

TEST_CASE("memory manager state: a byte that changes is noticed") {
  using Change = std::pair<std::string, std::string>;
  for (const Change& change :
       {Change{"static", "statix"}, Change{"2048", "2049"}, Change{":512,\"alloc", ":513,\"alloc"},
        Change{"1536", "1537"}, Change{"\"cells\":[]", "\"cells\":[0]"}, Change{"1024", "1025"},
        Change{"\"pod\"", "\"pad\""}, Change{"container1", "container2"}, Change{"[0]", "[1]"},
        Change{"\"type\":\"memory\"", "\"type\":\"hugepages-2Mi\""},
        Change{"\"size\":512", "\"size\":513"}}) {
    std::string changed = kInside;
    CAPTURE(change.second);
    REQUIRE(changed.find(change.first) != std::string::npos);
    changed.replace(changed.find(change.first), change.first.size(), change.second);
    CHECK(why_not('{' + changed + R"(,"checksum":4215593881})") == "checkpoint is corrupted");
  }
}

TEST_CASE("memory manager state: data wins over what stands beside it") {
  const std::string outside = R"({"policyName":"other","machineState":{},"checksum":1234,"data":)";
  const std::string data = quoted('{' + kInside + '}');
  CHECK(read(outside + data + R"(,"dataChecksum":1849615440})").state == kState);
  CHECK(why_not(outside + data + R"(,"dataChecksum":1234})") == "checkpoint is corrupted");
  CHECK(why_not(outside + data + '}') == "checkpoint is corrupted");
}

TEST_CASE("memory manager state: memory of pods as a whole is not passed over") {
  const std::string whole =
      R"(,"podEntries":{"pod":{"memoryBlocks":[{"numaAffinity":[0],"type":"memory","size":512}]}})";
  CHECK(why_not('{' + kInside + whole + R"(,"checksum":1278640530})").find("as a whole") !=
        std::string::npos);
  CHECK(read('{' + kInside + R"(,"podEntries":{}})").state == kState);
}

TEST_CASE("memory manager state: broken ones say where") {
  for (const char* const text :
       {"", "{", "[]", R"({"policyName":[]})", R"({"machineState":{"x":{}}})",
        R"({"machineState":{"-1":{}}})", R"({"machineState":{"0":1}})", R"({"checksum":-1})",
        R"({"entries":{"a":{"b":1}}})", R"({"entries":{"a":{"b":[{"size":-1}]}}})", R"({"data":1})",
        R"({"data":"{","dataChecksum":1})"}) {
    CAPTURE(text);
    CHECK_FALSE(why_not(text).empty());
  }
}

}  // namespace gedge
