# cmake -DPTX=a.ptx -P parameter_sizes.cmake: fails unless the parameter of each kernel takes<Bytes> has so many bytes. Host code
# passes sizeof bytes; nvcc 13.0 gives more to a class with empty members and [[no_unique_address]].
file(READ "${PTX}" text)
string(REGEX MATCHALL "entry [^(]*takesILj[0-9]+E[^(]*\\([^[]*\\[[0-9]+\\]" kernels "${text}")
list(LENGTH kernels count)
if(NOT count EQUAL 12)
    message(FATAL_ERROR "${count} kernels in ${PTX}, not 12")
endif()
foreach(kernel IN LISTS kernels)
    string(REGEX MATCH "takesILj([0-9]+)E.*\\[([0-9]+)\\]" found "${kernel}")
    if(NOT CMAKE_MATCH_1 EQUAL CMAKE_MATCH_2)
        message(FATAL_ERROR "a parameter of ${CMAKE_MATCH_1} bytes on the host has ${CMAKE_MATCH_2} on the device: ${kernel}")
    endif()
endforeach()
