#pragma once
/// Columns and words of HDF5 files, for files that are compiled with HDF5.

#include <hdf5.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ricochet::hdf5 {

/// An identifier of HDF5, closed when it goes.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] bool good() const { return id_ >= 0; }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor)

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// A dataset that grows along its first dimension; rows are collected and written in blocks.
class Column {
 public:
  /// Every row has the dimensions `row`; an empty list makes it a number.
  Column(hid_t file, const char* name, std::vector<hsize_t> row) : row_(std::move(row)) {
    for (const hsize_t n : row_) width_ *= n;
    block_ = std::max<hsize_t>(1, 4096 / std::max<hsize_t>(1, width_));
    std::vector<hsize_t> size{0}, most{H5S_UNLIMITED}, chunk{block_};
    for (const hsize_t n : row_) {
      size.push_back(n);
      most.push_back(n);
      chunk.push_back(n);
    }
    const int rank = static_cast<int>(size.size());
    const Handle space(H5Screate_simple(rank, size.data(), most.data()), H5Sclose);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    good_ = space.good() && H5Pset_chunk(properties, rank, chunk.data()) >= 0 &&
            H5Pset_obj_track_times(properties, false) >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0;
    if (good_) set_.emplace(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, links, properties, H5P_DEFAULT), H5Dclose);
    good_ = good_ && set_->good();
  }

  void add(std::initializer_list<double> numbers) { add(std::span<const double>(numbers.begin(), numbers.size())); }
  void add(std::span<const double> numbers) {
    waiting_.insert(waiting_.end(), numbers.begin(), numbers.end());
    if (waiting_.size() >= block_ * width_) flush();
  }
  /// Whether everything was written.
  [[nodiscard]] bool finish() {
    flush();
    return good_;
  }

 private:
  void flush() {
    if (!good_ || waiting_.empty()) return;
    const hsize_t rows = waiting_.size() / width_;
    std::vector<hsize_t> from{written_}, count{rows}, size{written_ + rows};
    for (const hsize_t n : row_) {
      from.push_back(0);
      count.push_back(n);
      size.push_back(n);
    }
    good_ = H5Dset_extent(*set_, size.data()) >= 0;
    const Handle in_file(H5Dget_space(*set_), H5Sclose);
    const Handle in_memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    good_ = good_ && H5Sselect_hyperslab(in_file, H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr) >= 0 &&
            H5Dwrite(*set_, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, waiting_.data()) >= 0;
    written_ += rows;
    waiting_.clear();
  }

  std::vector<hsize_t> row_;
  hsize_t width_ = 1, block_ = 1, written_ = 0;
  std::vector<double> waiting_;
  std::optional<Handle> set_;
  bool good_ = false;
};

/// A list of words, in UTF-8.
inline bool write_words(hid_t file, const char* name, const std::vector<std::string>& words) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  std::size_t longest = 1;
  for (const std::string& word : words) longest = std::max(longest, word.size() + 1);
  std::string text;
  for (const std::string& word : words) text += word + std::string(longest - word.size(), '\0');
  const hsize_t count = words.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (H5Tset_size(type, longest) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0 ||
      H5Pset_obj_track_times(properties, false) < 0)
    return false;
  const Handle set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
  return set.good() && (words.empty() || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) >= 0);
}

}  // namespace ricochet::hdf5
