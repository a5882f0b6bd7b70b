/* What the C tests share: a count of checks, and words where one fails. */
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

/* A call that must be refused by this code, with these words in the message. */
static inline void check_refused(int got, int code, const char *words, const char *what, int line)
{
    ++checks;
    if (got != code || strstr(residua_error(), words) == NULL || strchr(residua_error(), '\n') != NULL) {
        ++faults;
        fprintf(stderr, "line %d: %s gives %s, \"%s\", not %s with \"%s\"\n", line, what, residua_code_name(got),
                residua_error(), residua_code_name(code), words);
    }
}
#define REFUSED(call, code, words) check_refused((call), (code), (words), #call, __LINE__)

#endif
