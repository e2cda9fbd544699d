// test_protobuf: what an API server said in protobuf, from standard input, as the JSON that gedge
// reads instead: tests/integration/protobuf_plane_test.py.
#include <iostream>
#include <iterator>
#include <string>

#include "gedge/codec/protobuf.hpp"

int main() {
  const std::string body{std::istreambuf_iterator<char>(std::cin), {}};
  const auto json = gedge::codec::json_of_protobuf(body);
  if (!json) {
    std::cerr << json.error().what << '\n';
    return 1;
  }
  std::cout << *json << '\n';
  return 0;
}
