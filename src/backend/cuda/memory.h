// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace plumb::cuda {

/// Throws Error (device) that names the call and CUDA's own words, unless `code` is cudaSuccess.
void check(int code, std::string_view what);

namespace detail {
struct DeviceFree {
  void operator()(void* p) const noexcept;
};
void* allocate(std::size_t bytes, std::string_view what);
void clear(void* device, std::size_t bytes, std::string_view what);
void copy_in(void* device, const void* host, std::size_t bytes, std::string_view what);
void copy_out(void* host, const void* device, std::size_t bytes, std::string_view what);
}  // namespace detail

/// An array in device memory that frees itself. Every call throws Error (device).
template <class T>
class DeviceArray {
 public:
  DeviceArray(std::size_t count, std::string_view what)
      : count_(count), what_(what), data_(static_cast<T*>(detail::allocate(count * sizeof(T), what))) {}
  DeviceArray(const std::vector<T>& host, std::string_view what) : DeviceArray(host.size(), what) {
    detail::copy_in(data_.get(), host.data(), host.size() * sizeof(T), what_);
  }

  [[nodiscard]] static DeviceArray zeros(std::size_t count, std::string_view what) {
    DeviceArray array(count, what);
    detail::clear(array.get(), count * sizeof(T), what);
    return array;
  }

  [[nodiscard]] T* get() const noexcept { return data_.get(); }
  [[nodiscard]] std::vector<T> to_host() const {
    std::vector<T> host(count_);
    detail::copy_out(host.data(), data_.get(), count_ * sizeof(T), what_);
    return host;
  }

 private:
  std::size_t count_;
  std::string_view what_;
  std::unique_ptr<T, detail::DeviceFree> data_;
};

}  // namespace plumb::cuda
