#include "ricochet/sweep/column_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "ricochet/batch/columns.hpp"
#include "ricochet/io/csv_field.hpp"
#include "ricochet/law/outcome.hpp"

#ifdef RICOCHET_HAVE_HDF5
#include "io/hdf5_column.hpp"
#endif

namespace ricochet::sweep {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

Expected<void> cannot(const std::string& path, const char* what) {
  return fail(ErrorCode::file_access, "", "", fmt::format("{}: cannot be {}", path, what));
}

/// `take` has each row in turn.
template <class Take>
Expected<void> read_rows(const std::vector<std::string>& parts, std::size_t width, const Take& take) {
  std::vector<double> row(width);
  for (const std::string& path : parts) {
    const File file(std::fopen(path.c_str(), "rb"));
    if (!file) return cannot(path, "read");
    std::size_t read = 0;
    while ((read = std::fread(row.data(), sizeof(double), width, file.get())) == width) take(row);
    if (read != 0 || std::ferror(file.get()) != 0) return cannot(path, "read: its last row is not whole");
  }
  return {};
}

std::string_view mode_word(double number) {
  return number == no_answer ? std::string_view("none") : name(static_cast<Mode>(static_cast<int>(number)));
}
std::string_view status_word(double number) {
  return number == 0 ? std::string_view("answered") : name(static_cast<ErrorCode>(static_cast<int>(number) - 1));
}

Expected<void> write_csv(const std::string& path, const std::vector<std::string>& names,
                         const std::vector<std::string>& parts) {
  const File file(std::fopen(path.c_str(), "wb"));
  if (!file) return cannot(path, "written");
  enum class Kind { number, mode, status };
  std::vector<Kind> kinds;
  fmt::memory_buffer text;
  for (const std::string& one : names) {
    kinds.push_back(one.ends_with("/mode") ? Kind::mode : one.ends_with("/status") ? Kind::status : Kind::number);
    if (text.size() > 0) text.push_back(',');
    append_csv_field(text, one);
  }
  text.push_back('\n');
  bool good = true;
  const auto flush = [&] {
    good = good && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
    text.clear();
  };
  const auto read = read_rows(parts, names.size(), [&](const std::vector<double>& row) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0) text.push_back(',');
      const auto out = std::back_inserter(text);
      switch (kinds[k]) {
        case Kind::mode: fmt::format_to(out, "{}", mode_word(row[k])); break;
        case Kind::status: fmt::format_to(out, "{}", status_word(row[k])); break;
        // Without an answer there is no number.
        case Kind::number:
          if (!std::isnan(row[k])) fmt::format_to(out, "{}", row[k]);
          break;
      }
    }
    text.push_back('\n');
    if (text.size() > (1U << 20U)) flush();
  });
  if (!read) return read;
  flush();
  if (!good || std::fflush(file.get()) != 0) return cannot(path, "written");
  return {};
}

#ifdef RICOCHET_HAVE_HDF5

Expected<void> write_hdf5(const std::string& path, const std::vector<std::string>& names,
                          const std::vector<std::string>& parts) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // its errors are ours to report
  const hdf5::Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  if (!file.good()) return cannot(path, "written");
  std::vector<std::string> modes, statuses{"answered"};
  for (int k = 0; k <= static_cast<int>(Mode::stick_slip); ++k) modes.emplace_back(name(static_cast<Mode>(k)));
  for (int k = 0; k <= static_cast<int>(ErrorCode::overflow); ++k)
    statuses.emplace_back(name(static_cast<ErrorCode>(k)));
  if (!hdf5::write_words(file, "modes", modes) || !hdf5::write_words(file, "statuses", statuses))
    return cannot(path, "written");
  std::vector<hdf5::Column> columns;
  columns.reserve(names.size());
  for (const std::string& one : names) columns.emplace_back(file, one.c_str(), std::vector<hsize_t>{});
  const auto read = read_rows(parts, names.size(), [&](const std::vector<double>& row) {
    for (std::size_t k = 0; k < row.size(); ++k) columns[k].add({row[k]});
  });
  if (!read) return read;
  for (hdf5::Column& column : columns)
    if (!column.finish()) return cannot(path, "written");
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return cannot(path, "written");
  return {};
}

#else

Expected<void> write_hdf5(const std::string& path, const std::vector<std::string>&, const std::vector<std::string>&) {
  return fail(ErrorCode::unavailable, "", "", path + ": this program was built without libhdf5-dev");
}

#endif

}  // namespace

bool have_hdf5() {
#ifdef RICOCHET_HAVE_HDF5
  return true;
#else
  return false;
#endif
}

Expected<void> write_columns(const std::string& path, ColumnFormat format, const std::vector<std::string>& names,
                             const std::vector<std::string>& parts) {
  return format == ColumnFormat::hdf5 ? write_hdf5(path, names, parts) : write_csv(path, names, parts);
}

}  // namespace ricochet::sweep
