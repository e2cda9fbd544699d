// How much memory of operator new this program holds: every byte is counted.
#pragma once

#include <cstdint>

namespace gedge::test {

std::int64_t live_bytes();

}  // namespace gedge::test
