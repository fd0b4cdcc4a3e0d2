// Reads recorded silicon evidence (data/silicon) in tests.
#ifndef SAMEBITS_TESTS_SILICON_H_
#define SAMEBITS_TESTS_SILICON_H_

#include <hdf5.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace samebits::testing {

/// Every element of an integer dataset, row-major. T: uint16_t, uint32_t or uint64_t, the stored
/// width. `file` is relative to the source folder (the working directory of the tests).
template <typename T>
std::vector<T> ReadSilicon(const std::string& file, const std::string& dataset) {
  static_assert(std::is_unsigned_v<T>);
  const hid_t type = sizeof(T) == 2   ? H5T_NATIVE_UINT16
                     : sizeof(T) == 4 ? H5T_NATIVE_UINT32
                                      : H5T_NATIVE_UINT64;
  const hid_t f = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (f < 0) throw std::runtime_error("cannot open " + file);
  const hid_t d = H5Dopen2(f, dataset.c_str(), H5P_DEFAULT);
  if (d < 0) throw std::runtime_error("no dataset " + dataset + " in " + file);
  const hid_t space = H5Dget_space(d);
  std::vector<T> values(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
  const herr_t status = H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Dclose(d);
  H5Fclose(f);
  if (status < 0) throw std::runtime_error("cannot read " + dataset + " of " + file);
  return values;
}

}  // namespace samebits::testing

#endif  // SAMEBITS_TESTS_SILICON_H_
