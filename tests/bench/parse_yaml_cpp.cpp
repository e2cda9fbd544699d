// bench_parse_yaml_cpp FILE: reads the file and parses it with yaml-cpp, no more.
#include <yaml-cpp/yaml.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t documents = YAML::LoadAll(text).size();
  std::printf("%zu documents\n", documents);
  return documents > 0 ? 0 : 1;
}
