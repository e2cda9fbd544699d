#include "gedge/io/machine_facts.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gedge/io/files.hpp"
#include "gedge/io/system_pins.hpp"
#include "gedge/pin/devices.hpp"
#include "support/command.hpp"
#include "support/folder.hpp"

namespace gedge {
namespace {

Result<Machine> read(const std::string& source) {
  DiskFiles files;
  return read_machine(source, files);
}

Machine good(const std::string& source) {
  auto machine = read(source);
  REQUIRE_MESSAGE(machine, (machine ? "" : machine.error().what));
  return *std::move(machine);
}

const std::string kXml =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
 <object type="Machine" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000001f"
   allowed_cpuset="0x0000000f" nodeset="0x00000001" complete_nodeset="0x00000001"
   allowed_nodeset="0x00000001" gp_index="1">
  <object type="Package" os_index="3" cpuset="0x0000000f" complete_cpuset="0x0000001f"
    nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="2">
   <object type="NUMANode" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000001f"
     nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="3" local_memory="1073741824"/>
   <object type="L3Cache" cpuset="0x0000000f" complete_cpuset="0x0000001f" nodeset="0x00000001"
     complete_nodeset="0x00000001" gp_index="4" cache_size="8388608" depth="3"
     cache_linesize="64" cache_associativity="16" cache_type="0">
    <object type="Core" os_index="0" cpuset="0x00000005" complete_cpuset="0x00000005"
      nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="5">
     <object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001"
       nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="6"/>
     <object type="PU" os_index="2" cpuset="0x00000004" complete_cpuset="0x00000004"
       nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="7"/>
    </object>
    <object type="Core" os_index="1" cpuset="0x0000000a" complete_cpuset="0x0000000a"
      nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="8">
     <object type="PU" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002"
       nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="9"/>
     <object type="PU" os_index="3" cpuset="0x00000008" complete_cpuset="0x00000008"
       nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="10"/>
    </object>
   </object>
   <object type="Bridge" gp_index="11" bridge_type="0-1" depth="0"
     bridge_pci="0000:[3b-3b]">
    <object type="PCIDev" gp_index="12" pci_busid="0000:3b:00.0"
      pci_type="0200 [8086:1572] [8086:0000] 01" pci_link_speed="0.0">
     <object type="OSDev" gp_index="13" name="eth0" osdev_type="2"/>
    </object>
   </object>
  </object>
 </object>
</topology>
)";

}  // namespace

TEST_CASE("machine facts: CPUs that XML names and does not have are nowhere") {
  const test::Folder folder;
  std::string xml = kXml;
  const std::size_t begin = xml.find("<object type=\"PU\" os_index=\"0\"");
  xml.erase(begin, xml.find("/>", begin) + 2 - begin);
  const Machine machine = good(folder.put("machine.xml", xml));
  CHECK(machine.cpu_set() == CpuSet::range(1, 3));
  CHECK(machine.cpus[1].core == 2);
  CHECK(machine.numa_nodes[0].cpus == CpuSet::range(1, 3));
  CHECK(machine.caches[0].cpus == CpuSet::range(1, 3));
  CHECK(machine.offline.contains(0));
}

TEST_CASE("machine facts: hwloc's one-line description") {
  const Machine machine = good("synthetic:pack:2 numa:2 l3:1 core:3 pu:2");
  CHECK(machine.cpus.size() == 24);
  CHECK(machine.numa_nodes.size() == 4);
  CHECK(machine.cpus[7] == Cpu{7, 6, 0, 1, 1, -1});
  CHECK(machine.cpus[12].socket == 1);
  CHECK(machine.numa_nodes[3].cpus == CpuSet::range(18, 23));
  CHECK(machine.numa_nodes[0].memory_bytes > 0);
  CHECK(machine.distances.empty());
  CHECK(machine.caches[2].cpus == CpuSet::range(12, 17));
  CHECK(machine.offline.empty());
}

TEST_CASE("machine facts: a machine without level 3 has no last-level cache for the kubelet") {
  CHECK(good("synthetic:pack:1 l2:2 core:1 pu:1").cpus[1].cache == -1);
}

TEST_CASE("machine facts: two CPUs of one number are one") {
  CHECK(good("synthetic:pu:2(indexes=5,5)").cpus.size() == 1);
}

TEST_CASE("machine facts: hwloc's XML, with devices and CPUs that are offline") {
  const test::Folder folder;
  const Machine machine = good(folder.put("machine.xml", kXml));
  CHECK(machine.cpu_set() == CpuSet::range(0, 3));
  CHECK(machine.offline == CpuSet{4});
  CHECK(machine.cpus[3] == Cpu{3, 1, 3, 0, 0, -1});
  CHECK(machine.numa_nodes[0].memory_bytes == 1'073'741'824);
  CHECK(machine.caches[0].size_bytes == 8'388'608);
  REQUIRE(machine.devices.size() == 1);
  CHECK(machine.devices[0] ==
        Device{DeviceKind::kNetwork, "eth0", "0000:3b:00.0", CpuSet::range(0, 3), {"0000:3b"}});
}

namespace {

// A bridge of the PCI bus around what is behind it.
std::string bridge(const std::string& address, const std::string& behind, int number) {
  const std::string id = std::to_string(number);
  return R"(<object type="Bridge" gp_index=")" + id + R"(" bridge_type="1-1" depth="1" )" +
         R"(bridge_pci="0000:[)" + address.substr(0, 2) + '-' + address.substr(0, 2) +
         R"(]" pci_busid="0000:)" + address +
         R"(" pci_type="0604 [8086:2030] [0000:0000] 04" pci_link_speed="0.0">)" + behind +
         "</object>";
}

std::string card(const std::string& address, const std::string& name, int kind, int number) {
  return R"(<object type="PCIDev" gp_index=")" + std::to_string(number) + R"(" pci_busid="0000:)" +
         address + R"(" pci_type="0200 [8086:1572] [8086:0000] 01" pci_link_speed="0.0">)" +
         R"(<object type="OSDev" gp_index=")" + std::to_string(number + 1) + R"(" name=")" + name +
         R"(" osdev_type=")" + std::to_string(kind) + R"("/></object>)";
}

}  // namespace

TEST_CASE("machine facts: bridges of the PCI bus, from the host bridge on") {
  const std::string behind = bridge("3b:00.0",
                                    bridge("3c:00.0", card("3d:00.0", "eth1", 2, 40), 30) +
                                        bridge("3c:01.0", card("3e:00.0", "card0", 1, 42), 31),
                                    20) +
                             card("3b:01.0", "sda", 0, 44);
  std::string xml = kXml;
  const std::size_t begin = xml.find("<object type=\"PCIDev\""), end = xml.find(
                                                                     "   </object>\n  "
                                                                     "</object>");
  REQUIRE(begin < end);
  xml.replace(begin, end - begin, behind);
  const test::Folder folder;
  const Machine machine = good(folder.put("machine.xml", xml));
  REQUIRE(machine.devices.size() == 3);
  CHECK(machine.devices[0].name == "sda");
  CHECK(machine.devices[0].bridges == std::vector<std::string>{"0000:3b"});
  CHECK(machine.devices[1].name == "eth1");
  CHECK(machine.devices[1].bridges ==
        std::vector<std::string>{"0000:3b", "0000:3b:00.0", "0000:3c:00.0"});
  CHECK(device_cost(machine, machine.devices[1], machine.devices[2]) == DeviceCost::kPix);
  CHECK(device_cost(machine, machine.devices[0], machine.devices[2]) == DeviceCost::kNode);
}

TEST_CASE("machine facts: a recorded tree") {
  const test::Folder folder;
  const std::string cpus = "sys/devices/system/cpu/";
  for (const char* name : {"online", "possible", "present"}) folder.put(cpus + name, "0-3\n");
  folder.put(cpus + "isolated", "3\n");
  folder.put(cpus + "nohz_full", "(null)\n");
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string at = cpus + "cpu" + std::to_string(cpu) + "/topology/";
    folder.put(at + "core_id", std::to_string(cpu / 2) + "\n");
    folder.put(at + "physical_package_id", "0\n");
    folder.put(at + "core_cpus", cpu < 2 ? "3\n" : "c\n");
    folder.put(at + "thread_siblings", cpu < 2 ? "3\n" : "c\n");
    folder.put(at + "package_cpus", "f\n");
    folder.put(at + "core_siblings", "f\n");
  }
  const std::string nodes = "sys/devices/system/node/";
  folder.put(nodes + "online", "0-1\n");
  folder.put(nodes + "node0/cpumap", "3\n");
  folder.put(nodes + "node0/meminfo", "Node 0 MemTotal: 1024 kB\n");
  folder.put(nodes + "node0/distance", "10 21\n");
  folder.put(nodes + "node1/cpumap", "c\n");
  folder.put(nodes + "node1/meminfo", "Node 1 MemTotal: 2048 kB\n");
  folder.put(nodes + "node1/distance", "22 10\n");
  const Machine machine = good(folder.path().string() + "/");
  CHECK(machine.cpu_set() == CpuSet::range(0, 3));
  CHECK(machine.cpus[3] == Cpu{3, 2, 0, 1, -1, -1});
  CHECK(machine.numa_nodes[1] == NumaNode{1, 2'097'152, CpuSet{2, 3}});
  CHECK(machine.distances == std::vector<std::uint32_t>{10, 21, 22, 10});
  CHECK(machine.isolated == CpuSet{3});
  CHECK(machine.nohz_full.empty());
  CHECK(std::getenv("HWLOC_FSROOT") == nullptr);
}

TEST_CASE("machine facts: this machine has the CPUs that its kernel says are online") {
  DiskFiles files;
  const auto online = files.read("/sys/devices/system/cpu/online", 1 << 16);
  if (!online) {
    MESSAGE("[skipped] no /sys");
    return;
  }
  CHECK(good("live").cpu_set() == *parse_cpu_set(*online));
}

TEST_CASE("machine facts: what describes no machine is refused, with its name") {
  const test::Folder folder;
  for (const std::string& source :
       {std::string("synthetic:"), std::string("synthetic:nonsense"), std::string("synthetic:pu:0"),
        std::string("synthetic:pack:70000 pu:1"), std::string("synthetic:pack:300 core:300 pu:1"),
        std::string("synthetic:pack:99999999999999999999"), folder.put("empty.xml", ""),
        folder.put("short.xml", kXml.substr(0, kXml.size() / 2)), folder.put("other.xml", "<svg/>"),
        folder.put("text.xml", "pack:2"),
        folder.put("far.xml",
                   "<topology version=\"2.0\"><object type=\"PU\" "
                   "os_index=\"4000000000\"/></topology>"),
        folder.path().string(), folder / "missing.xml"}) {
    CAPTURE(source);
    const auto machine = read(source);
    REQUIRE_FALSE(machine);
    CHECK_FALSE(machine.error().what.empty());
    CHECK_FALSE(machine.error().hint.empty());
  }
}

TEST_CASE("machine facts: XML that is damaged is refused, with the place and the reason") {
  const test::Folder folder;
  const auto wrong = [&](const std::string& what, const std::string& with) {
    std::string xml = kXml;
    const std::size_t at = xml.rfind(what);
    REQUIRE(at != std::string::npos);
    xml.replace(at, what.size(), with);
    const auto machine = read(folder.put("machine.xml", xml));
    REQUIRE_FALSE(machine);
    CHECK(machine.error().code == Errc::kInvalidInput);
    CHECK(machine.error().hint.find("lstopo") != std::string::npos);
    const SourceSpan& where = machine.error().where;
    CHECK(where.origin.ends_with("machine.xml"));
    return std::to_string(where.line) + ':' + std::to_string(where.column) + ": " +
           machine.error().what;
  };
  const std::string cpus = "cpuset=\"0x00000008\" complete", nodes = "allowed_nodeset=\"0x00000001";
  CHECK(wrong(cpus, "cpuset=\"0xzzz\" complete") == "25:45: '0xzzz' is no set as hwloc writes it");
  CHECK(wrong(nodes, "allowed_nodeset=\"1-3") == "6:21: '1-3' is no set as hwloc writes it");
  CHECK(wrong(cpus, "cpuset=\"0x000000008\" complete").find("25:45: ") == 0);
  for (const char* const odd : {"", "0x", "0xf...f0", "0x1, 0x1", "8,-1"})
    CHECK_MESSAGE(wrong(cpus, "cpuset=\"" + std::string(odd) + "\" complete").find("25:45: ") == 0,
                  odd);
  CHECK(wrong("</object>\n</topology>", "</obiect>\n</topology>") ==
        "37:4: no valid XML: mismatched tag");
  CHECK(wrong("</topology>\n", "") == "38:1: no valid XML: no element found");
  CHECK(wrong("\"hwloc2.dtd\"", "\"a\" [<!ENTITY b \"c\">]")
            .find("entity 'b': no machine needs entities") != std::string::npos);
}

TEST_CASE("machine facts: sets are read in every form that hwloc gives them") {
  struct Form {
    const char* set;
    CpuSet offline;  // which of these CPUs the machine does not have now; empty: they have no end
  };
  const test::Folder folder;
  for (const Form& form : std::initializer_list<Form>{{"0x0000001f", {4}},
                                                      {"1f", {4}},
                                                      {"0x3F", {4, 5}},
                                                      {"0x00000001,0x0000000f", {32}},
                                                      {"0x00000001,,0x0000001f", {4, 64}},
                                                      {"0x80000000,0x0,0x0000002f", {5, 95}},
                                                      {"0xf...f", {}},
                                                      {"0xf...f,0x0000000f", {}}}) {
    std::string xml = kXml;
    const std::string all = "complete_cpuset=\"0x0000001f\"";
    const std::string its = "complete_cpuset=\"" + std::string(form.set) + '"';
    for (std::size_t at = 0; (at = xml.find(all, at)) != std::string::npos; at += its.size())
      xml.replace(at, all.size(), its);
    const auto machine = read(folder.put("machine.xml", xml));
    CAPTURE(form.set);
    REQUIRE(static_cast<bool>(machine) == !form.offline.empty());
    if (machine) {
      CHECK(machine->cpu_set() == CpuSet::range(0, 3));
      CHECK(machine->offline == form.offline);
    } else {
      CHECK(machine.error().what.find("beyond") != std::string::npos);
    }
  }
}

TEST_CASE("machine facts: why there is no machine, and what to do") {
  const test::Folder folder;
  std::string lacking = kXml;  // libhwloc 2.9 does not survive this
  const std::string part = "complete_cpuset=\"0x00000001\"";
  lacking.replace(lacking.find(part), part.size(), "");
  const auto why = [](const std::string& source) {
    const auto machine = read(source);
    REQUIRE_FALSE(machine);
    return machine.error();
  };
  const Error flat = why("synthetic:pu:8192");
  CHECK(flat.what == "more than 2048 parts are described side by side");
  CHECK(flat.hint.find("in levels") != std::string::npos);
  const std::string too_many = "more than 8192 CPUs are described";
  CHECK(why("synthetic:pack:300 core:300 pu:1").what == too_many);
  CHECK(why("synthetic:2 2 2 2 2 2 2 2 2 2 2 2 2 2").what == too_many);
  std::string crowded = kXml, units;
  for (int i = 0; i < 8'192; ++i) units += "<object type=\"PU\" os_index=\"0\"/>";
  crowded.insert(crowded.find("<object type=\"PU\""), units);
  CHECK(why(folder.put("crowded.xml", crowded)).what == too_many);
  CHECK(why("synthetic:nonsense").what == "'nonsense' describes no machine");
  CHECK(why(folder.put("lacking.xml", lacking)).what == "libhwloc crashes when it reads it");
  const Error missing = why(folder / "missing.xml");
  CHECK(missing.code == Errc::kNotFound);
  CHECK(missing.hint.find("synthetic:TEXT") != std::string::npos);
  CHECK(why("/dev/zero").hint == "give live, FILE.xml, synthetic:TEXT or a directory");
  folder.put("machine.xml", kXml);
  CHECK(why(folder / "machina.xml").hint.find("did you mean ") == 0);
  const auto files_alone = read_cpus(folder.path().string());
  REQUIRE_FALSE(files_alone);
  CHECK(files_alone.error().code == Errc::kNotFound);
}

}  // namespace gedge
