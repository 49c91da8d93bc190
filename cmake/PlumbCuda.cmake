# SPDX-License-Identifier: Apache-2.0
# Finds nvcc, or says that there is none. Sets PLUMB_HAVE_CUDA and the gencode flags of the kernels.

set(PLUMB_HAVE_CUDA OFF)
if(NOT PLUMB_CUDA STREQUAL "OFF")
  find_program(PLUMB_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(PLUMB_NVCC)
    set(CMAKE_CUDA_COMPILER ${PLUMB_NVCC})
    # The gencode flags below say it all; CMake would add a plain target of its own.
    set(CMAKE_CUDA_ARCHITECTURES OFF)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(PLUMB_HAVE_CUDA ON)
  elseif(PLUMB_CUDA STREQUAL "ON")
    message(FATAL_ERROR "PLUMB_CUDA=ON, but no nvcc was found. Set CUDA_HOME, or leave PLUMB_CUDA at AUTO.")
  endif()
endif()

# plumb_kernels(FILE...): device code of these sources for Hopper and Blackwell. The `a` targets are needed
# by wgmma and tcgen05; Blackwell code of Plumb has been assembled but has never run on hardware.
function(plumb_kernels)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS
    "-std=c++20;-gencode=arch=compute_90a,code=sm_90a;-gencode=arch=compute_100a,code=sm_100a;-lineinfo;-Xptxas=-Werror;-Xptxas=--warn-on-spills")
endfunction()
