// freed_memory.hpp - whether what is freed, and code, stays with the process.
#pragma once

namespace gedge::cli {

/// The system clears a page before it is used for the first time, which takes longer than most of
/// what is done with it. So the memory that a file was read into is not given back, but serves what
/// is made of the file; beyond 32 MiB, the most that glibc allows, it is.
void keep_freed_memory();

/// Large pieces go back to the system: what runs for long needs a list once.
void return_freed_memory();

/// Lets go of the pages of programs and libraries: those that are used again are mapped again, some
/// at a time, for microseconds where the system has kept them, and what only the start needed is
/// not.
void let_go_of_code();

}  // namespace gedge::cli
