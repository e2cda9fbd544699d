#include "gedge/model/pod.hpp"

namespace gedge {

const SharedText& Pod::default_namespace() {
  static const SharedText name = "default";
  return name;
}

}  // namespace gedge
