// gedge - puts every pod inside its latency budget, and proves it.
#include "app.hpp"

int main(int argc, char** argv) { return static_cast<int>(gedge::cli::run_process(argc, argv)); }
