// See zip.h. An archive is read from its end: the end record locates the directory, each directory record locates a local header,
// and the data follows that. Fields that exist twice must agree, so that no other reader can find different bytes under the same
// name.
#include "formats/weights/zip.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/byte_reader.h"
#include "base/quote.h"

namespace attnviz {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kDirectorySignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kLocator64Bytes = 20;
constexpr std::size_t kDirectoryBytes = 46;    // of a record, without name, extra and comment
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;    // as a size or offset: the real one is in the zip64 extra field
constexpr std::uint16_t kFlagEncrypted = 1;    // bit 0
constexpr std::uint16_t kFlagSizesFollow = 8;  // bit 3: the local header may have zeros for sizes
constexpr std::uint16_t kMethodDeflated = 8;
constexpr std::uint16_t kExtraZip64 = 1;  // the extra field's kind

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kModel, fmt::format("{}: {}; the file is damaged or cut short: download or save it again", where, what));
}

[[noreturn]] void fail(const std::string& where, std::string_view entry, const std::string& what) {
  fail(where, fmt::format("entry {}: {}", quote_text(entry), what));
}

// Where the directory is and how many records it has.
struct Directory {
  std::uint64_t n_entry = 0;
  std::uint64_t n_byte = 0;
  std::uint64_t begin = 0;
  std::uint64_t limit = 0;  // the directory ends here at the latest
};

struct Record {
  std::string_view name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint64_t stored_size = 0;
  std::uint64_t size = 0;
  std::uint64_t local_header = 0;
  std::uint32_t crc = 0;
};

template <typename Number>
Number number_at(std::span<const std::byte> bytes, std::size_t position) {
  Number value;
  std::memcpy(&value, bytes.data() + position, sizeof(Number));
  return value;
}

// The end record is the last thing in the file, except for a comment of up to 65535 bytes whose length it gives.
std::size_t find_end(std::span<const std::byte> bytes, const std::string& where) {
  if (bytes.size() >= kEndBytes) {
    const std::size_t last = bytes.size() - kEndBytes;
    for (std::size_t comment = 0; comment <= std::min<std::size_t>(last, 0xFFFF); ++comment) {
      const std::size_t at = last - comment;
      if (number_at<std::uint32_t>(bytes, at) != kEndSignature) continue;
      if (number_at<std::uint16_t>(bytes, at + kEndBytes - 2) == comment) return at;
    }
  }
  fail(where, "has no end record; expected a zip archive's directory at the end of the file");
}

// The 64-bit end record, which most of PyTorch's files have before the end record; none if there is none.
std::optional<Directory> read_end64(std::span<const std::byte> bytes, std::size_t end, const std::string& where) {
  if (end < kLocator64Bytes || number_at<std::uint32_t>(bytes, end - kLocator64Bytes) != kLocator64Signature) return std::nullopt;
  ByteReader locator(bytes.subspan(end - kLocator64Bytes, kLocator64Bytes), where);
  locator.take(8, "zip64 locator");
  const auto at = locator.read<std::uint64_t>("zip64 locator");
  const std::size_t limit = end - kLocator64Bytes;
  if (at > limit) fail(where, fmt::format("zip64: expected the end record before byte {}, found it at {}", limit, at));
  ByteReader record(bytes.subspan(at, limit - at), where);
  if (record.read<std::uint32_t>("zip64 end record") != kEnd64Signature) {
    fail(where, fmt::format("zip64: no end record at byte {}, where its locator points", at));
  }
  record.take(12 + 8, "zip64 end record");  // its size, versions, disks
  Directory directory;
  const auto n_here = record.read<std::uint64_t>("zip64 end record");
  directory.n_entry = record.read<std::uint64_t>("zip64 end record");
  directory.n_byte = record.read<std::uint64_t>("zip64 end record");
  directory.begin = record.read<std::uint64_t>("zip64 end record");
  directory.limit = at;
  if (n_here != directory.n_entry) fail(where, "zip64: is one part of a split archive; expected a whole one");
  return directory;
}

Directory find_directory(std::span<const std::byte> bytes, const std::string& where) {
  const std::size_t end = find_end(bytes, where);
  ByteReader record(bytes.subspan(end), where);
  record.take(8, "end record");  // signature, disks
  const auto n_here = record.read<std::uint16_t>("end record");
  Directory directory;
  directory.n_entry = record.read<std::uint16_t>("end record");
  directory.n_byte = record.read<std::uint32_t>("end record");
  directory.begin = record.read<std::uint32_t>("end record");
  directory.limit = end;
  if (n_here != directory.n_entry) fail(where, "is one part of a split archive; expected a whole one");
  if (const auto wide = read_end64(bytes, end, where)) {
    const auto agrees = [](std::uint64_t narrow, std::uint64_t all_ones, std::uint64_t value) {
      return narrow == all_ones || narrow == value;
    };
    if (!agrees(directory.n_entry, 0xFFFF, wide->n_entry) || !agrees(directory.n_byte, kIn64, wide->n_byte) ||
        !agrees(directory.begin, kIn64, wide->begin)) {
      fail(where, "zip64: the two end records do not agree");
    }
    directory = *wide;
  }
  if (directory.begin > directory.limit || directory.n_byte != directory.limit - directory.begin) {
    fail(where, fmt::format("expected the directory from byte {} to {}, found {} bytes", directory.begin, directory.limit,
                            directory.n_byte));
  }
  if (directory.n_entry > directory.n_byte / kDirectoryBytes) {
    fail(where, fmt::format("{} bytes of directory cannot hold {} entries", directory.n_byte, directory.n_entry));
  }
  return directory;
}

// Replaces each size that is all ones by the next one of the zip64 extra field, which contains only those, in this order.
void widen(std::span<const std::byte> extra, std::initializer_list<std::uint64_t*> sizes, std::string_view name,
           const std::string& where) {
  if (std::none_of(sizes.begin(), sizes.end(), [](const auto* size) { return *size == kIn64; })) return;
  ByteReader fields(extra, where);
  while (fields.remaining() >= 4) {
    const auto kind = fields.read<std::uint16_t>("extra field");
    const auto n_byte = fields.read<std::uint16_t>("extra field");
    ByteReader field(fields.take(n_byte, "extra field"), where);
    if (kind != kExtraZip64) continue;
    for (std::uint64_t* size : sizes) {
      if (*size == kIn64) *size = field.read<std::uint64_t>("zip64 extra field");
    }
    return;
  }
  fail(where, name, "its size does not fit 32 bits, and it has no zip64 extra field");
}

Record read_record(ByteReader* directory, const std::string& where) {
  if (directory->read<std::uint32_t>("directory record") != kDirectorySignature) {
    fail(where, "the directory has no record where one is expected");
  }
  Record record;
  directory->take(4, "directory record");  // versions
  record.flags = directory->read<std::uint16_t>("directory record");
  record.method = directory->read<std::uint16_t>("directory record");
  directory->take(4, "directory record");  // time, date
  record.crc = directory->read<std::uint32_t>("directory record");
  record.stored_size = directory->read<std::uint32_t>("directory record");
  record.size = directory->read<std::uint32_t>("directory record");
  const auto n_name = directory->read<std::uint16_t>("directory record");
  const auto n_extra = directory->read<std::uint16_t>("directory record");
  const auto n_comment = directory->read<std::uint16_t>("directory record");
  directory->take(8, "directory record");  // disk, attributes
  record.local_header = directory->read<std::uint32_t>("directory record");
  record.name = directory->take_text(n_name, "entry name");
  const auto extra = directory->take(n_extra, "extra field");
  directory->take(n_comment, "entry comment");
  widen(extra, {&record.size, &record.stored_size, &record.local_header}, record.name, where);
  return record;
}

void check_method(const Record& record, ZipContent content, const std::string& where) {
  if ((record.flags & kFlagEncrypted) != 0) {
    throw Error(ErrorKind::kModel, fmt::format("{}: entry {}: is encrypted; expected a plain one", where, quote_text(record.name)));
  }
  if (record.method == kMethodDeflated && content == ZipContent::kStoredOrDeflated) return;
  if (record.method != 0 && content == ZipContent::kStoredOrDeflated) {
    throw Error(ErrorKind::kModel, fmt::format("{}: entry {}: is compressed by method {}; expected none or deflate; save it with "
                                               "numpy.savez or numpy.savez_compressed",
                                               where, quote_text(record.name), record.method));
  }
  if (record.method != 0) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: entry {}: is compressed (method {}); expected stored entries, as torch.save writes them; was the "
                            "file packed again by another program?",
                            where, quote_text(record.name), record.method));
  }
  if (record.stored_size != record.size) {
    fail(where, record.name, fmt::format("is stored, but its two sizes are {} and {}", record.stored_size, record.size));
  }
}

// The entry's data, which follows a local header that must agree with the directory. `before`: all bytes before the directory.
std::span<const std::byte> find_data(std::span<const std::byte> before, const Record& record, const std::string& where) {
  if (record.local_header > before.size()) {
    fail(where, record.name,
         fmt::format("begins at byte {}; expected it before the directory at {}", record.local_header, before.size()));
  }
  ByteReader local(before.subspan(record.local_header), where);
  if (local.read<std::uint32_t>("local header") != kLocalSignature) {
    fail(where, record.name, fmt::format("no local header at byte {}, where the directory places it", record.local_header));
  }
  local.take(2, "local header");  // version
  const auto flags = local.read<std::uint16_t>("local header");
  const auto method = local.read<std::uint16_t>("local header");
  local.take(8, "local header");  // time, date, CRC-32
  std::uint64_t stored_size = local.read<std::uint32_t>("local header");
  std::uint64_t size = local.read<std::uint32_t>("local header");
  const auto n_name = local.read<std::uint16_t>("local header");
  const auto n_extra = local.read<std::uint16_t>("local header");
  const std::string_view name = local.take_text(n_name, "local header");
  const auto extra = local.take(n_extra, "extra field of a local header");
  if (name != record.name) {
    fail(where, record.name, fmt::format("its local header names another entry, {}", quote_text(name)));
  }
  if (method != record.method) {
    fail(where, name, fmt::format("its local header has method {}, the directory {}", method, record.method));
  }
  widen(extra, {&size, &stored_size}, name, where);
  const bool sizes_follow = (flags & kFlagSizesFollow) != 0 && stored_size == 0 && size == 0;
  if (!sizes_follow && (size != record.size || stored_size != record.stored_size)) {
    fail(where, name, fmt::format("its local header has {} bytes, the directory {}", size, record.size));
  }
  if (record.stored_size > local.remaining()) {
    fail(where, name, fmt::format("expected {} bytes before the directory, found {}", record.stored_size, local.remaining()));
  }
  return local.take(record.stored_size, "entry");
}

void refuse_twins(const std::vector<ZipEntry>& sorted, const std::string& where) {
  const auto twin = std::adjacent_find(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twin != sorted.end()) fail(where, twin->name, "is in the archive twice; expected each name once");
}

void refuse_overlap(const std::vector<ZipEntry>& entries, const std::string& where) {
  std::vector<const ZipEntry*> by_place;
  for (const ZipEntry& entry : entries) {
    if (!entry.data.empty()) by_place.push_back(&entry);
  }
  std::sort(by_place.begin(), by_place.end(), [](const auto* a, const auto* b) { return a->data.data() < b->data.data(); });
  const auto overlap = std::adjacent_find(by_place.begin(), by_place.end(), [](const auto* a, const auto* b) {
    return a->data.data() + a->data.size() > b->data.data();
  });
  if (overlap == by_place.end()) return;
  fail(where, (*std::next(overlap))->name, fmt::format("overlaps entry {}", quote_text((*overlap)->name)));
}

}  // namespace

bool looks_like_zip(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof(kLocalSignature) && number_at<std::uint32_t>(bytes, 0) == kLocalSignature;
}

std::vector<ZipEntry> parse_zip(std::span<const std::byte> bytes, const std::string& where, ZipContent content) {
  const Directory directory = find_directory(bytes, where);
  const auto before = bytes.first(directory.begin);
  ByteReader records(bytes.subspan(directory.begin, directory.n_byte), where);
  std::vector<ZipEntry> entries;
  entries.reserve(directory.n_entry);
  for (std::uint64_t i = 0; i < directory.n_entry; ++i) {
    const Record record = read_record(&records, where);
    check_method(record, content, where);
    entries.push_back({record.name, find_data(before, record, where), record.method == kMethodDeflated, record.size, record.crc});
  }
  if (records.remaining() != 0) {
    fail(where, fmt::format("{} bytes after the directory's {} entries", records.remaining(), directory.n_entry));
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  refuse_twins(entries, where);
  refuse_overlap(entries, where);
  return entries;
}

}  // namespace attnviz
