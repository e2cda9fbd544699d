// Source: pkg/kubelet/cm/cpumanager/state/checkpoint.go of Kubernetes, 1.36.
#include "gedge/codec/cpu_manager_state.hpp"

#include <limits>
#include <string_view>
#include <utility>

#include "codec/checkpoint.hpp"
#include "codec/cpu_manager_texts.hpp"
#include "codec/cursor.hpp"
#include "codec/fields.hpp"

namespace gedge {
namespace {

using codec::Cursor;

void read_entries(Cursor value, codec::CpuManagerTexts& texts) {
  value.fields([&](std::string_view pod, Cursor entry) {
    if (!entry.is_map()) {
      codec::read_text(entry, texts.containers[std::string(pod)]);
      return;
    }
    auto& containers = texts.pods[std::string(pod)];
    entry.fields([&](std::string_view name, Cursor cpus) {
      codec::read_text(cpus, containers[std::string(name)]);
    });
  });
}

void read_cpus(Cursor at, const std::string& text, const std::string& whose, CpuSet& out) {
  auto set = parse_cpu_set(text);
  if (!set)
    at.fail("could not parse " + whose + ": " + set.error().what, set.error().hint);
  else
    out = *std::move(set);
}

class Reader {
 public:
  void read(Cursor root, bool inside = false) {
    std::optional<std::int64_t> checksum, data_checksum;
    std::optional<Cursor> data, sum;
    root.fields([&](std::string_view key, Cursor value) {
      constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
      if (key == "policyName") codec::read_text(value, texts_.policy);
      // Go reads names of fields in any case.
      if (key == "defaultCpuSet" || key == "defaultCPUSet") codec::read_text(value, texts_.shared);
      if (key == "entries") read_entries(value, texts_);
      if (key == "checksum") {
        checksum = value.integer(0, kMost);
        sum = value;
      }
      if (key == "data") data = value;
      if (key == "dataChecksum") data_checksum = value.integer(0, kMost);
    });
    if (data && !inside) return read_data(*data, data_checksum.value_or(0));
    if (checksum.value_or(0) != 0 &&
        !codec::is_checksum_of(texts_, static_cast<std::uint32_t>(*checksum)))
      codec::refuse_checkpoint(*sum);
    fill(root);
  }

  CpuManagerState take() { return std::move(state_); }

 private:
  // What stands beside it is for older kubelets.
  void read_data(Cursor data, std::int64_t checksum) {
    texts_ = {};
    codec::read_within(data, checksum, [this](Cursor root) { read(root, true); });
  }

  void fill(Cursor root) {
    state_.policy = texts_.policy;
    read_cpus(root, texts_.shared, "default cpu set", state_.cpus.shared);
    for (const auto& [pod, containers] : texts_.pods)
      for (const auto& [name, cpus] : containers)
        read_cpus(root, cpus,
                  "cpuset " + codec::quote(cpus) + " for container " + codec::quote(name) +
                      " in pod " + codec::quote(pod),
                  state_.cpus.pods[pod][name]);
    for (const auto& [name, cpus] : texts_.containers)
      read_cpus(root, cpus, "cpuset of container " + codec::quote(name),
                state_.cpus.pods[""][name]);
  }

  codec::CpuManagerTexts texts_;
  CpuManagerState state_;
};

}  // namespace

CpuManagerStateReading read_cpu_manager_state(const InputFile& file) {
  return codec::read_checkpoint<CpuManagerStateReading, Reader>(file);
}

}  // namespace gedge
