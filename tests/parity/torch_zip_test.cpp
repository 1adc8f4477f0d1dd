// pytorch_model.bin as PyTorch itself writes it (tests/reference/torch_zip.py), against the same tensors in safetensors: equal byte
// for byte, and so are the attention maps of a model.
#include "formats/weights/torch_zip.h"

#include <attnviz/error.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/weights/safetensors.h"
#include "golden.h"
#include "keep_tap.h"
#include "model/model.h"

namespace attnviz {
namespace {

std::string data_path(const std::string& name) { return std::string(ATTNVIZ_TEST_DIR) + "/" + name; }

void expect_same_tensors(const std::string& torch_file, const std::string& twin_file) {
  const auto found = open_torch_zip(data_path(torch_file));
  const auto expected = open_safetensors(data_path(twin_file));
  ASSERT_EQ(found->tensors().size(), expected->tensors().size()) << torch_file;
  for (std::size_t i = 0; i < expected->tensors().size(); ++i) {
    const StoredTensor& tensor = found->tensors()[i];
    const StoredTensor& twin = expected->tensors()[i];
    ASSERT_EQ(tensor.name, twin.name) << torch_file;
    EXPECT_EQ(dtype_name(tensor.view.dtype), dtype_name(twin.view.dtype)) << twin.name;
    ASSERT_EQ(tensor.view.shape, twin.view.shape) << twin.name;
    const std::size_t n_byte = element_count(twin.view.shape) * dtype_size(twin.view.dtype);
    EXPECT_EQ(std::memcmp(tensor.view.data, twin.view.data, n_byte), 0) << twin.name;
  }
}

TEST(TorchZipParity, EveryTypeAndViewEqualsItsTwin) { expect_same_tensors("torch_data/views.bin", "torch_data/views.safetensors"); }

TEST(TorchZipParity, ProtocolFourIsReadToo) {
  expect_same_tensors("torch_data/views_protocol_4.bin", "torch_data/views.safetensors");
}

TEST(TorchZipParity, TheModelOfACheckpointIsFound) {
  expect_same_tensors("torch_data/checkpoint.bin", "torch_data/checkpoint.safetensors");
}

TEST(TorchZipParity, AFileFromBeforeTheZipFormatIsNamed) {
  try {
    open_torch_zip(data_path("torch_data/legacy.bin"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("is of PyTorch before 1.6; expected the zip format of 1.6 or later; convert it with"));
  }
}

using Maps = std::map<KeepTap::Key, KeptMatrix>;

// The maps of every layer and head over the golden's texts.
Maps maps_of(const std::string& folder, const TokenBatch& batch) {
  const auto model = load_model(data_path(folder));
  KeepTap tap{TapKind::kPattern};
  ThreadPool pool(2);
  Tap* taps[] = {&tap};
  model->run(pool, batch, everything(model->config()), taps);
  return tap.all();
}

void expect_same_maps(const std::string& torch_folder, const std::string& safetensors_folder) {
  const TokenBatch batch = Golden(data_path(safetensors_folder) + "/golden.safetensors").batch();
  const Maps found = maps_of(torch_folder, batch);
  const Maps expected = maps_of(safetensors_folder, batch);
  ASSERT_FALSE(expected.empty());
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [key, map] : expected) {
    ASSERT_TRUE(found.contains(key));
    EXPECT_TRUE(found.at(key).values == map.values) << torch_folder << ": sequence " << std::get<1>(key);
  }
}

TEST(TorchZipParity, MapsEqualThoseFromSafetensors) { expect_same_maps("torch_data/bert", "data/bert_classifier"); }

TEST(TorchZipParity, MapsFromShardsEqualThoseFromSafetensors) { expect_same_maps("torch_data/bert_sharded", "data/bert_sharded"); }

}  // namespace
}  // namespace attnviz
