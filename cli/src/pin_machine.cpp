#include "pin_machine.hpp"

namespace gedge::cli {

void add_machine_flag(FlagSet& flags, std::string& source) {
  flags.heading("Which machine");
  flags.add({.name = "machine",
             .value = "SOURCE",
             .help = "live, FILE.xml, synthetic:TEXT or DIRECTORY",
             .fallback = source,
             .live = Live::kFiles,
             .shapes_answer = true},
            source);
}

}  // namespace gedge::cli
