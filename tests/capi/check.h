/* What the two C tests share: a count of checks, and words where one fails. */
#ifndef TESTS_CAPI_CHECK_H
#define TESTS_CAPI_CHECK_H

#include <residua.h>

#include <stdio.h>
#include <string.h>

static int checks = 0;
static int faults = 0;

static void check(int holds, const char *what, int line)
{
    ++checks;
    if (!holds) {
        ++faults;
        fprintf(stderr, "line %d: %s; residua_error() is \"%s\"\n", line, what, residua_error());
    }
}
#define CHECK(condition) check((condition) ? 1 : 0, #condition, __LINE__)

#endif
