#include "litz/dlpack.h"

#include <gtest/gtest.h>

#include "api/dlpack_abi.h"
#include "litz/create.h"
#include "litz/ops.h"

namespace {

namespace dl = litz::api::dlpack;
using litz::DType;
using litz::Tensor;

int deleted = 0;

// A tensor of somebody else's, over `memory`.
struct Foreign {
  float memory[6] = {0, 1, 2, 3, 4, 5};
  int64_t shape[2] = {2, 2};
  int64_t strides[2] = {1, 2};
  dl::ManagedVersioned versioned{};
  dl::Managed plain{};

  Foreign() {
    deleted = 0;
    versioned.version = {1, 1};
    versioned.deleter = [](dl::ManagedVersioned*) { ++deleted; };
    plain.deleter = [](dl::Managed*) { ++deleted; };
    versioned.tensor = plain.tensor = {memory, {dl::kCpu, 0}, 2, {dl::kFloat, 32, 1}, shape, strides, 4};
  }
  DLManagedTensorVersioned* v() { return reinterpret_cast<DLManagedTensorVersioned*>(&versioned); }
  DLManagedTensor* p() { return reinterpret_cast<DLManagedTensor*>(&plain); }
};

TEST(DlpackTest, TakesTensorsWithoutACopy) {
  for (const bool versioned : {false, true}) {
    Foreign f;
    {
      const Tensor x = versioned ? litz::from_dlpack(f.v()) : litz::from_dlpack(f.p());
      EXPECT_EQ(x.raw_const_data(), f.memory + 1);
      EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 3, 2, 4}));
      EXPECT_EQ(deleted, 0);
    }
    EXPECT_EQ(deleted, 1);
  }
}

TEST(DlpackTest, NullStridesAreRowMajor) {
  Foreign f;
  f.versioned.tensor.strides = nullptr;
  EXPECT_EQ(litz::from_dlpack(f.v()).to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
}

TEST(DlpackTest, ReadOnlyTensorsStaySo) {
  Foreign f;
  f.versioned.flags = dl::kReadOnly;
  const Tensor x = litz::from_dlpack(f.v());
  EXPECT_THROW(x.data<float>(), litz::UserError);
  EXPECT_THROW(litz::to_dlpack(x), litz::UserError);
  auto* out = reinterpret_cast<dl::ManagedVersioned*>(litz::to_dlpack_versioned(x));
  EXPECT_EQ(out->flags & dl::kReadOnly, dl::kReadOnly);
  out->deleter(out);
}

TEST(DlpackTest, WhatIsRefusedStaysTheCallers) {
  const auto refused = [](auto change) {
    Foreign f;
    change(f.versioned);
    EXPECT_THROW(litz::from_dlpack(f.v()), litz::UserError);
    EXPECT_EQ(deleted, 0);
  };
  refused([](dl::ManagedVersioned& m) { m.version.major = 2; });
  refused([](dl::ManagedVersioned& m) { m.tensor.device.type = 2; });
  refused([](dl::ManagedVersioned& m) { m.tensor.dtype = {5, 64, 1}; });
  refused([](dl::ManagedVersioned& m) { m.tensor.dtype.lanes = 4; });
  refused([](dl::ManagedVersioned& m) { m.tensor.strides[0] = -1; });
  refused([](dl::ManagedVersioned& m) { m.tensor.shape[0] = -1; });
  EXPECT_THROW(litz::from_dlpack(static_cast<DLManagedTensor*>(nullptr)), litz::UserError);
}

TEST(DlpackTest, GivesTensorsThatKeepTheirMemory) {
  dl::ManagedVersioned* out = nullptr;
  const void* memory = nullptr;
  {
    const Tensor x = litz::transpose(litz::tensor<int16_t>({1, 2, 3, 4, 5, 6}, litz::Sizes{2, 3}), 0, 1);
    memory = x.raw_const_data();
    out = reinterpret_cast<dl::ManagedVersioned*>(litz::to_dlpack_versioned(x));
  }
  EXPECT_EQ(out->version.major, 1u);
  EXPECT_EQ(out->tensor.data, memory);
  EXPECT_EQ(out->tensor.ndim, 2);
  EXPECT_EQ(out->tensor.shape[0], 3);
  EXPECT_EQ(out->tensor.strides[0], 1);
  EXPECT_EQ(out->tensor.strides[1], 3);
  EXPECT_EQ(out->tensor.dtype.code, dl::kInt);
  EXPECT_EQ(out->tensor.dtype.bits, 16);
  EXPECT_EQ(static_cast<const int16_t*>(out->tensor.data)[5], 6);
  out->deleter(out);
}

TEST(DlpackTest, EveryDtypeGoesThereAndBack) {
  for (DType dtype : {DType::f64, DType::f32, DType::bf16, DType::f16, DType::i64, DType::i32, DType::i16, DType::i8,
                      DType::u8, DType::boolean}) {
    const Tensor x = litz::ones({3}, dtype);
    const Tensor y = litz::from_dlpack(litz::to_dlpack(x));
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(y.raw_const_data(), x.raw_const_data());
    EXPECT_EQ(litz::from_dlpack(litz::to_dlpack_versioned(x)).dtype(), dtype);
  }
}

}  // namespace
