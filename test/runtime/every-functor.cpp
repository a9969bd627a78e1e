// After the tests, if all of them ran: each functor of kernels/functors.def was launched on the emulated GPU.
#include "test/runtime/emulated-gpu.h"

#include "runtime/kernels/functors.h"

#include <gtest/gtest.h>

namespace rt {
namespace {

class EveryFunctor : public testing::Environment {
  void TearDown() override {
    if (testing::GTEST_FLAG(filter) != "*") return;
#define FUNCTOR(name) EXPECT_TRUE(launched.contains(typeid(name<bool>))) << #name << " is launched by no test";
#include "runtime/kernels/functors.def"
  }
};
[[maybe_unused]] testing::Environment* const everyFunctor = testing::AddGlobalTestEnvironment(new EveryFunctor);

}  // namespace
}  // namespace rt
