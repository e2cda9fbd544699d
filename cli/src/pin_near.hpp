// pin_near.hpp - devices that CPUs are to be near to.
#pragma once

#include "gedge/drive/run_pinned.hpp"
#include "io.hpp"

namespace gedge::cli {

/// The devices of this machine, where `ask` wishes for some: hwloc knows them.
Status add_devices(PinGround& ground, const CpuAsk& ask, FileStore& files);

/// "near to card0 at 0000:04:00.0 and eth0 at 0000:09:00.0, cost 4"; empty where none are.
std::string near_text(const PinGround& ground, const DeviceChoice& choice);

/// Tells which devices were chosen once the CPUs are held.
CpuKeeper telling_near(CpuKeeper keeper, const PinGround& ground, Io& io, bool quiet);

}  // namespace gedge::cli
