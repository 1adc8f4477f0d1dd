// See torch_zip.h.
#include "formats/weights/torch_zip.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/file.h"
#include "base/quote.h"
#include "formats/weights/lfs_pointer.h"
#include "formats/weights/pickle.h"
#include "formats/weights/torch_zip_tensors.h"
#include "formats/weights/zip.h"

namespace attnviz {
namespace {

constexpr std::string_view kPickleName = "/data.pkl";

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kModel, fmt::format("{}: {}", where, what));
}

std::string_view as_text(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Refuses what torch.save wrote before 1.6, and what it never wrote. A zip archive passes.
void refuse_other_formats(std::span<const std::byte> bytes, const std::string& where) {
  refuse_lfs_pointer(bytes, where);
  if (looks_like_zip(bytes)) return;
  constexpr std::string_view kLegacyMagic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";  // a number, pickled
  constexpr std::size_t kTarMagicAt = 257;
  const std::string_view text = as_text(bytes);
  if (text.substr(0, 32).find(kLegacyMagic) != std::string_view::npos) {
    fail(where,
         "is of PyTorch before 1.6; expected the zip format of 1.6 or later; convert it with: python3 -c \"import torch; "
         "torch.save(torch.load('old.bin', map_location='cpu', weights_only=True), 'new.bin')\"");
  }
  if (text.size() > kTarMagicAt && text.substr(kTarMagicAt).starts_with("ustar")) {
    fail(where,
         "is a tar archive, as PyTorch before 0.1.10 wrote it; expected the zip format of 1.6 or later; if you trust the file, "
         "convert it with: python3 -c \"import torch; torch.save(torch.load('old.bin', map_location='cpu', "
         "weights_only=False), 'new.bin')\"");
  }
  fail(where, fmt::format("expected a zip archive, as torch.save writes it, found {}; download or save it again",
                          bytes.empty() ? "an empty file" : "a file that starts with " + quote_text(text.substr(0, 8))));
}

// The archive's entries by name.
class Archive {
 public:
  Archive(std::span<const std::byte> bytes, const std::string& where) : where_(where), entries_(parse_zip(bytes, where)) {
    const ZipEntry* pickle = nullptr;
    for (const ZipEntry& entry : entries_) {
      const std::size_t slash = entry.name.find('/');
      if (slash == std::string_view::npos || entry.name.substr(slash) != kPickleName) continue;
      if (pickle != nullptr) {
        fail(where, fmt::format("has two pickles, {} and {}; expected one", quote_text(pickle->name), quote_text(entry.name)));
      }
      pickle = &entry;
      root_ = entry.name.substr(0, slash);
    }
    if (pickle == nullptr) fail(where, "is a zip archive without data.pkl; expected a file that torch.save wrote");
    pickle_ = pickle->data;
    if (find("constants.pkl")) {
      fail(where, "is a TorchScript program; expected tensors alone, as torch.save(model.state_dict(), ...) writes them");
    }
    if (const auto order = find("byteorder"); order && as_text(*order) != "little") {
      fail(where, fmt::format("byteorder: expected \"little\", found {}; save it again on a little-endian machine",
                              quote_text(as_text(*order))));
    }
  }

  std::span<const std::byte> pickle() const { return pickle_; }

  // The bytes of a tensor's whole storage.
  std::span<const std::byte> storage(const TorchTensor& tensor) const {
    const auto data = find(fmt::format("data/{}", tensor.storage));
    if (!data) {
      fail(where_, fmt::format("tensor {}: its storage {} is not in the archive; the file is damaged: download or save it again",
                               quote_text(tensor.name), quote_text(tensor.storage)));
    }
    const auto expected = try_multiply(tensor.n_storage, dtype_size(tensor.dtype));
    if (expected != data->size()) {
      fail(where_, fmt::format("tensor {}: its storage {} of {} {} elements has {} bytes, which do not match; the file is damaged: "
                               "download or save it again",
                               quote_text(tensor.name), quote_text(tensor.storage), tensor.n_storage, dtype_name(tensor.dtype),
                               data->size()));
    }
    return *data;
  }

 private:
  std::optional<std::span<const std::byte>> find(std::string_view name) const {
    const std::string full = fmt::format("{}/{}", root_, name);
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), full,
                                     [](const ZipEntry& entry, const std::string& wanted) { return entry.name < wanted; });
    if (at == entries_.end() || at->name != full) return std::nullopt;
    return at->data;
  }

  const std::string& where_;
  std::vector<ZipEntry> entries_;
  std::string_view root_;
  std::span<const std::byte> pickle_;
};

// The elements in row-major order. `out` has room for all of them; every place was checked (torch_zip_tensors.h).
void copy_row_major(const TorchTensor& tensor, std::span<const std::byte> storage, std::byte* out) {
  const std::size_t n_byte = dtype_size(tensor.dtype);
  const std::size_t n_dim = tensor.shape.size();
  std::vector<std::size_t> index(n_dim, 0);
  std::size_t place = tensor.offset;
  for (std::size_t i = 0; i < tensor.n_element; ++i) {
    std::memcpy(out + i * n_byte, storage.data() + place * n_byte, n_byte);
    for (std::size_t d = n_dim; d-- > 0;) {  // the next index, the last dimension fastest
      if (++index[d] < tensor.shape[d]) {
        place += tensor.strides[d];
        break;
      }
      place -= (tensor.shape[d] - 1) * tensor.strides[d];
      index[d] = 0;
    }
  }
}

// Copies of tensors that are not row-major in the file, together no larger than the file: an expanded tensor (stride 0) or many
// views of one storage could ask for any amount. Two names of one tensor share a copy.
class Copies {
 public:
  Copies(std::size_t limit, const std::string& where) : where_(where), limit_(limit), left_(limit) {}

  const std::byte* add(const TorchTensor& tensor, std::span<const std::byte> storage) {
    const auto [known, is_new] =
        known_.try_emplace(Key(tensor.storage, tensor.dtype, tensor.offset, tensor.shape, tensor.strides), nullptr);
    if (is_new) {
      const auto n_byte = try_multiply(tensor.n_element, dtype_size(tensor.dtype));
      if (!n_byte || *n_byte > left_) {
        fail(where_,
             fmt::format("tensor {}: {} {} is transposed, sliced or expanded; expected such tensors to take at most {} bytes "
                         "together, as much as the file, found more; save them with .contiguous()",
                         quote_text(tensor.name), dtype_name(tensor.dtype), shape_text(tensor.shape), limit_));
      }
      left_ -= *n_byte;
      copies_.emplace_back(*n_byte);
      copy_row_major(tensor, storage, copies_.back().data());
      known->second = copies_.back().data();
    }
    return known->second;
  }

  std::vector<std::vector<std::byte>> take() { return std::move(copies_); }

 private:
  using Key = std::tuple<std::string_view, DType, std::size_t, Shape, std::vector<std::size_t>>;

  const std::string& where_;
  std::size_t limit_;
  std::size_t left_;  // bytes that may still be copied
  std::map<Key, const std::byte*> known_;
  std::vector<std::vector<std::byte>> copies_;
};

class TorchSource final : public WeightSource {
 public:
  explicit TorchSource(const std::filesystem::path& path)
      : where_(path.string()), file_(path), tensors_(parse_torch_zip(file_.bytes(), where_)) {}

  std::span<const StoredTensor> tensors() const override { return tensors_.tensors; }
  std::string where() const override { return where_; }

 private:
  std::string where_;
  MappedFile file_;
  TorchTensors tensors_;
};

}  // namespace

TorchTensors parse_torch_zip(std::span<const std::byte> bytes, const std::string& where) {
  refuse_other_formats(bytes, where);
  const Archive archive(bytes, where);
  const Pickle pickle = parse_pickle(archive.pickle(), where);
  Copies copies(bytes.size(), where);
  TorchTensors result;
  for (TorchTensor& tensor : find_torch_tensors(pickle, where)) {
    const auto storage = archive.storage(tensor);
    const std::byte* data =
        tensor.contiguous ? storage.data() + tensor.offset * dtype_size(tensor.dtype) : copies.add(tensor, storage);
    result.tensors.push_back({std::string(tensor.name), {tensor.dtype, std::move(tensor.shape), data}});
  }
  result.copies = copies.take();
  auto& all = result.tensors;
  sort_by_name(&all);
  const auto twin = std::adjacent_find(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twin != all.end()) {
    fail(where, fmt::format("tensor {}: is in the file twice; expected each name once; the file is damaged: download or save it "
                            "again",
                            quote_text(twin->name)));
  }
  return result;
}

std::unique_ptr<WeightSource> open_torch_zip(const std::filesystem::path& file) { return std::make_unique<TorchSource>(file); }

}  // namespace attnviz
