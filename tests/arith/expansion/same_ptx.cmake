# cmake -DONE=a.ptx -DOTHER=b.ptx -P same_ptx.cmake: fails unless both do the same operations. With --fmad=false nvcc
# writes mul.rn.f64 and add.rn.f64, which ptxas does not fuse, for mul.f64 and add.f64.
foreach(name ONE OTHER)
    file(READ "${${name}}" text)
    string(REPLACE ".rn.f64" ".f64" ${name}_text "${text}")
endforeach()
string(FIND "${ONE_text}" "fma.f64" fma)
if(fma EQUAL -1)
    message(FATAL_ERROR "no fma in ${ONE}: is it the code of the products?")
endif()
if(NOT ONE_text STREQUAL OTHER_text)
    message(FATAL_ERROR "the compiler fuses operations: ${ONE} and ${OTHER} differ")
endif()
