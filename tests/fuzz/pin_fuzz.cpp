// What pinning reads: lists of CPUs, the states of CPU and memory managers, KubeletConfigurations,
// the record of pins and verdicts, mounts, memberships and names of control groups. No input may
// crash a reader, what is written is read again as it was, and no path leaves the control groups.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gedge/codec/cpu_manager_state.hpp"
#include "gedge/codec/kubelet_configuration.hpp"
#include "gedge/codec/memory_manager_state.hpp"
#include "gedge/codec/pin_record.hpp"
#include "gedge/codec/pin_verdicts.hpp"
#include "gedge/pin/control_group.hpp"
#include "gedge/pin/cpu_set.hpp"

namespace {

void require(bool fact) {
  if (!fact) std::abort();
}

void check_set(const std::string& text) {
  const auto set = gedge::parse_cpu_set(text);
  if (!set) return;
  require(*gedge::parse_cpu_set(to_string(*set)) == *set);
  require(set->last() <= gedge::CpuSet::kLast);
}

void check_state(const std::string& text) {
  const auto reading = gedge::read_cpu_manager_state({"state", text});
  require(reading.state.has_value() == reading.errors.empty());
  const auto known = gedge::recognise_cpu_manager_state(text);
  if (known) require(reading.state == known);
  if (!reading.state) return;
  const std::string written = gedge::write_cpu_manager_state(*reading.state);
  const auto again = gedge::read_cpu_manager_state({"state", written});
  if (again.state) require(again.state->cpus.shared == reading.state->cpus.shared);
}

void check_memory_state(const std::string& text) {
  const auto reading = gedge::read_memory_manager_state({"state", text});
  require(reading.state.has_value() == reading.errors.empty());
}

void check_kubelet(const std::string& text) {
  for (const gedge::Compat compat : {gedge::Compat::k1_20, gedge::Compat::k1_36}) {
    const auto reading = gedge::read_kubelet_configuration({"config", text}, compat);
    require(reading.rules.has_value() == reading.errors.empty());
  }
}

void check_records(const std::string& text) {
  const auto reading = gedge::read_pin_records({"record", text});
  require(reading.records.has_value() == reading.errors.empty());
  if (reading.records)
    for (const gedge::PinRecord& record : *reading.records)
      for (const gedge::GroupBefore& group : record.groups)
        require(group.group.path.find("/../") == std::string::npos);
  if (reading.records) {
    require(reading.aside.cpus().is_subset_of(reading.aside.all));
    const std::string written =
        gedge::write_pin_records(*reading.records, reading.aside, reading.niced);
    const auto again = gedge::read_pin_records({"record", written});
    require(again.records == reading.records);
    if (!reading.niced.levels.empty()) require(again.niced == reading.niced);
  }
  const auto verdicts = gedge::read_pin_verdicts({"verdicts", text});
  require(verdicts.verdicts.has_value() == verdicts.errors.empty());
}

void check_groups(const std::string& text) {
  const gedge::CgroupMount mount = gedge::cpuset_mount(text);
  if (const auto path = gedge::group_path(text, mount)) {
    require(path->starts_with('/') && path->size() > 1 && !path->ends_with('/'));
    for (const std::string_view bad : {"/../", "//", "/./"})
      require((*path + '/').find(bad) == std::string::npos);
    require(*gedge::group_path(*path, {}) == *path);
  }
  if (const auto id = gedge::container_id(text)) {
    require(id->find_first_not_of("0123456789abcdef") == std::string::npos);
    require(gedge::is_container_group("docker-" + *id + ".scope", *id));
  }
  for (const auto version : {gedge::CgroupVersion::kV1, gedge::CgroupVersion::kV2})
    if (const auto group = gedge::group_in(text, version)) require(group->starts_with('/'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_set(text);
  check_state(text);
  check_memory_state(text);
  check_kubelet(text);
  check_records(text);
  check_groups(text);
  return 0;
}
