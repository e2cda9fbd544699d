#include "pin_near.hpp"

#include <string>
#include <utility>
#include <vector>

#include "gedge/io/machine_facts.hpp"
#include "term/text.hpp"

namespace gedge::cli {

Status add_devices(PinGround& ground, const CpuAsk& ask, FileStore& files) {
  if (ask.near.empty()) return {};
  auto machine = read_machine("live", files);
  if (!machine) return std::move(machine).error();
  ground.machine.devices = std::move(machine->devices);
  return {};
}

std::string near_text(const PinGround& ground, const DeviceChoice& choice) {
  if (choice.devices.empty()) return {};
  std::vector<std::string> names;
  for (const std::size_t at : choice.devices) {
    const Device& device = ground.machine.devices[at];
    names.push_back(device.name + " at " + device.bus);
  }
  const std::string cost = names.size() > 1 ? ", cost " + std::to_string(choice.cost) : "";
  return "near to " + join_words(names) + cost;
}

CpuKeeper telling_near(CpuKeeper keeper, const PinGround& ground, Io& io, bool quiet) {
  keeper.hold = [hold = std::move(keeper.hold), &ground, &io, quiet](const ProcessId& holder) {
    auto granted = hold(holder);
    if (!granted || quiet || granted->near.devices.empty()) return granted;
    io.err.line(near_text(ground, granted->near));
    io.err.flush();
    return granted;
  };
  return keeper;
}

}  // namespace gedge::cli
