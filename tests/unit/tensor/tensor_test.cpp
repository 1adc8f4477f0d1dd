// Element types and shapes.
#include <attnviz/error.h>
#include <attnviz/tensor.h>
#include <attnviz/weights.h>

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(DType, NamesRoundTrip) {
  EXPECT_EQ(dtype_from_name("F8_E4M3"), DType::kF8E4M3);
  EXPECT_EQ(dtype_name(DType::kBF16), "BF16");
  EXPECT_EQ(dtype_from_name("f32"), std::nullopt);
  EXPECT_EQ(dtype_from_name(""), std::nullopt);
}

TEST(DType, SizesAndWeights) {
  EXPECT_EQ(dtype_size(DType::kF32), 4U);
  EXPECT_EQ(dtype_size(DType::kBF16), 2U);
  EXPECT_EQ(dtype_size(DType::kC64), 8U);
  EXPECT_EQ(dtype_bits(DType::kF6E2M3), 6U);
  EXPECT_EQ(dtype_size(DType::kF4), 0U);
  EXPECT_TRUE(is_weight_dtype(DType::kF16));
  EXPECT_FALSE(is_weight_dtype(DType::kF64));
  EXPECT_FALSE(is_weight_dtype(DType::kI8));
}

TEST(Shape, CountsAndPrints) {
  EXPECT_EQ(shape_text(Shape{384, 1536}), "[384, 1536]");
  EXPECT_EQ(shape_text(Shape{}), "[]");
  EXPECT_EQ(element_count(Shape{}), 1U);
  EXPECT_EQ(element_count(Shape{2, 3, 4}), 24U);
  EXPECT_EQ(element_count(Shape{5, 0}), 0U);
  try {
    element_count(Shape{SIZE_MAX, 2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("[18446744073709551615, 2]"));
  }
}

TEST(TensorView, RowsAreTheFirstDimension) {
  const TensorView cube{DType::kF32, {2, 3, 4}, nullptr};
  EXPECT_EQ(cube.n_rows(), 2U);
  EXPECT_EQ(cube.row_size(), 12U);
  const TensorView vector{DType::kF32, {7}, nullptr};
  EXPECT_EQ(vector.n_rows(), 7U);
  EXPECT_EQ(vector.row_size(), 1U);
  const TensorView scalar;
  EXPECT_EQ(scalar.n_rows(), 1U);
  EXPECT_EQ(scalar.row_size(), 1U);
}

class Names final : public WeightSource {
 public:
  std::span<const StoredTensor> tensors() const override { return tensors_; }
  std::string where() const override { return "memory"; }
  std::vector<StoredTensor> tensors_ = {{"a", {}}, {"a.b", {}}, {"c", {}}};
};

TEST(WeightSource, FindsExactNames) {
  const Names source;
  for (const StoredTensor& tensor : source.tensors_) EXPECT_EQ(source.find(tensor.name), &tensor);
  for (const char* name : {"", "a.", "b", "d"}) EXPECT_EQ(source.find(name), nullptr) << name;
}

}  // namespace
}  // namespace attnviz
