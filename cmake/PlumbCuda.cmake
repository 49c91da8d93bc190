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

# plumb_kernels(FILE... [TARGETS 90a 100f ...] [NO_LINE_INFO]): device code of these sources, for Hopper and
# datacentre Blackwell where nothing else is said: one binary for the family `100f` runs on compute capability
# 10.0 and 10.3, as nvcc defines the family. The `a` targets are needed by wgmma and tcgen05; Blackwell code of Plumb has
# been assembled but has never run on hardware. NO_LINE_INFO is for hundreds of kernels made from one template: their
# line tables would be larger than their code.
function(plumb_kernels)
  cmake_parse_arguments(arg "NO_LINE_INFO" "" "TARGETS" ${ARGN})
  if(NOT arg_TARGETS)
    set(arg_TARGETS 90a 100f)
  endif()
  set(options -std=c++20 -Xptxas=-Werror -Xptxas=--warn-on-spills --compress-mode=size)
  foreach(target IN LISTS arg_TARGETS)
    list(APPEND options -gencode=arch=compute_${target},code=sm_${target})
  endforeach()
  if(NOT arg_NO_LINE_INFO)
    list(APPEND options -lineinfo)
  endif()
  set_source_files_properties(${arg_UNPARSED_ARGUMENTS} PROPERTIES COMPILE_OPTIONS "${options}")
endfunction()
