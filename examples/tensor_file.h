// A file of named tensors, as export_weights.py writes it:
//
//   litz-tensors 1                       the first line
//   conv1.weight f32 64 3 7 7            a line for each tensor: name, dtype, sizes
//   …
//                                        an empty line
//   (zero bytes up to a multiple of 64)  then the elements of each tensor, row-major, little-endian, in the same order,
//                                        each tensor starting at a multiple of 64 bytes in the file
#pragma once

#include <litz/litz.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using TensorMap = std::map<std::string, litz::Tensor>;

inline constexpr int64_t kTensorAlignment = 64;
inline int64_t aligned(int64_t offset) { return (offset + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment; }

// The tensors share the memory that the file was read into. Throws std::runtime_error if the file is damaged.
inline TensorMap read_tensor_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot open " + path);
  const auto size = static_cast<int64_t>(file.tellg());
  auto memory = std::make_shared<litz::Tensor>(litz::empty(size, litz::DType::u8));
  char* bytes = reinterpret_cast<char*>(memory->data<uint8_t>());
  file.seekg(0);
  if (!file.read(bytes, size)) throw std::runtime_error("cannot read " + path);

  std::istringstream text(std::string(bytes, static_cast<size_t>(size)));
  std::string line;
  if (!std::getline(text, line) || line != "litz-tensors 1") throw std::runtime_error(path + " holds no tensors");
  struct Entry {
    std::string name;
    litz::DType dtype;
    litz::Sizes shape;
    int64_t bytes;
  };
  std::vector<Entry> entries;
  while (std::getline(text, line) && !line.empty()) {
    std::istringstream words(line);
    Entry entry;
    std::string dtype;
    words >> entry.name >> dtype;
    const auto parsed = litz::parse_dtype(dtype);
    if (!parsed || *parsed == litz::DType::token) throw std::runtime_error(path + ": no dtype in \"" + line + "\"");
    entry.dtype = *parsed;
    entry.bytes = litz::dtype_size(*parsed);
    for (int64_t n = 0; words >> n;) {
      if (n < 0 || (n > 0 && entry.bytes > size / n))
        throw std::runtime_error(path + ": bad sizes in \"" + line + "\"");
      entry.shape.push_back(n);
      entry.bytes *= n;
    }
    entries.push_back(std::move(entry));
  }
  if (!text) throw std::runtime_error(path + " ends in its list of tensors");

  TensorMap out;
  int64_t offset = aligned(text.tellg());
  for (const Entry& entry : entries) {
    if (offset > size || entry.bytes > size - offset) throw std::runtime_error(path + " ends before " + entry.name);
    out[entry.name] = litz::from_blob(static_cast<void*>(bytes + offset), entry.shape, {}, entry.dtype,
                                      [memory](void*) {});  // keeps the memory alive
    offset = aligned(offset + entry.bytes);
  }
  return out;
}

inline void write_tensor_file(const std::string& path, const TensorMap& tensors) {
  std::string header = "litz-tensors 1\n";
  for (const auto& [name, tensor] : tensors) {
    header += name + " " + std::string(litz::dtype_name(tensor.dtype()));
    for (int64_t n : tensor.shape()) header += " " + std::to_string(n);
    header += "\n";
  }
  header += "\n";
  header.resize(static_cast<size_t>(aligned(static_cast<int64_t>(header.size()))), '\0');
  std::ofstream file(path, std::ios::binary);
  file << header;
  for (const auto& [name, tensor] : tensors) {
    const litz::Tensor dense = tensor.contiguous();
    const int64_t bytes = dense.elements() * litz::dtype_size(dense.dtype());
    file.write(static_cast<const char*>(dense.raw_const_data()), bytes);
    file << std::string(static_cast<size_t>(aligned(bytes) - bytes), '\0');
  }
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}
