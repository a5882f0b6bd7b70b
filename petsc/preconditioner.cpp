// The plug-in for PETSc: preconditioners by PETSc's options, for binary64 vectors of one process.
#include <residua/solvers/precond/petsc_table.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <petscpc.h>
#include <unistd.h>

#include "nodes.hpp"

#if defined(PETSC_USE_COMPLEX) || defined(PETSC_USE_64BIT_INDICES) || !defined(PETSC_USE_REAL_DOUBLE)
#error "the plug-in needs a PETSc of double numbers and of indices of 32 bits"
#endif

namespace {

using residua::petsc_matrix;
using residua::petsc_outcome;
using residua::petsc_table;

/// PETSc is not safe for threads: one call at a time.
std::mutex& one_call()
{
    static std::mutex alone;
    return alone;
}

/// Whatever PETSc calls an error while this lives is kept in words, and goes to nobody else.
class kept_errors {
public:
    kept_errors() { (void)PetscPushErrorHandler(keep, this); }
    ~kept_errors() { (void)PetscPopErrorHandler(); }
    kept_errors(const kept_errors&) = delete;
    kept_errors& operator=(const kept_errors&) = delete;

    const std::string& words() const { return words_; }

private:
    static PetscErrorCode keep(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType type,
                               const char* text, void* into)
    {
        auto& words = static_cast<kept_errors*>(into)->words_;
        if (type == PETSC_ERROR_INITIAL || words.empty()) {
            const char* general = nullptr;
            (void)PetscErrorMessage(code, &general, nullptr);
            words = text != nullptr && *text != '\0' ? text
                    : general != nullptr             ? general
                                                     : "error " + std::to_string(code);
        }
        return code;
    }

    std::string words_;
};

/// The process that has started PETSc here.
pid_t started_by = 0;

void put_line(const std::string& text, char* message, std::size_t size)
{
    std::string line = text.substr(0, text.find('\n'));
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < ' '; }, ' ');
    (void)std::snprintf(message, size, "%s", line.c_str());
}

/// Ends what start() has started, so that MPI removes its files. A child of fork() has no part in that.
void end()
{
    PetscBool ended = PETSC_FALSE;
    (void)PetscFinalized(&ended);
    if (ended != PETSC_TRUE && getpid() == started_by) {
        (void)PetscFinalize();
    }
}

/// Starts MPI and PETSc, unless the program has. Both stay until the process ends.
PetscErrorCode start()
{
    PetscBool started = PETSC_FALSE;
    PetscCall(PetscInitialized(&started));
    if (started == PETSC_TRUE) {
        return 0;
    }
    const bool launched = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr ||
                          std::getenv("PMIX_RANK") != nullptr;
    if (!launched) {
        (void)setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);  // a process alone needs no daemon
    }
    (void)setenv("OMPI_MCA_opal_signal", "", 0);  // signals are the program's
    // options of the program's own, not of its user's: no file of options, no handler of signals, no words at the end
    static char name[] = "residua", file[] = "-skip_petscrc", signals[] = "-no_signal_handler",
                left[] = "-options_left", no[] = "no";
    static char* words[] = {name, file, signals, left, no, nullptr};
    int count = 5;
    char** all = words;
    PetscCall(PetscInitialize(&count, &all, nullptr, nullptr));
    started_by = getpid();
    (void)std::atexit(end);
    return 0;
}

/// The options of a text in PETSc's data base, by a prefix of their own, while this lives.
class own_options {
public:
    explicit own_options(const char* text) : prefix_("residua" + std::to_string(++made_) + "_")
    {
        std::istringstream words(text);
        for (std::string word; words >> word;) {
            if (word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0) {
                all_.emplace_back(word.substr(1), "");
            } else if (!all_.empty() && all_.back().second.empty()) {
                all_.back().second = word;
            } else if (stray_.empty()) {
                stray_ = word;
            }
        }
    }
    ~own_options()
    {
        for (const auto& [name, value] : all_) {
            (void)PetscOptionsClearValue(nullptr, ("-" + prefix_ + name).c_str());
        }
    }
    own_options(const own_options&) = delete;
    own_options& operator=(const own_options&) = delete;

    const std::string& prefix() const { return prefix_; }

    PetscErrorCode insert() const
    {
        if (!stray_.empty()) {
            SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
                    "\"%s\" is no option of PETSc's: those begin with a hyphen, as -pc_type icc", stray_.c_str());
        }
        for (const auto& [name, value] : all_) {
            PetscCall(
                PetscOptionsSetValue(nullptr, ("-" + prefix_ + name).c_str(), value.empty() ? nullptr : value.c_str()));
        }
        return 0;
    }

    /// An error that names the options that nothing has read, if there are any.
    PetscErrorCode require_all_used() const
    {
        std::string unused;
        for (const auto& [name, value] : all_) {
            PetscBool used = PETSC_FALSE;
            PetscCall(PetscOptionsUsed(nullptr, (prefix_ + name).c_str(), &used));
            unused += used == PETSC_TRUE ? "" : (unused.empty() ? "-" : ", -") + name;
        }
        if (!unused.empty()) {
            SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "PETSc makes no use of %s", unused.c_str());
        }
        return 0;
    }

    /// The text with the options as the caller has them, without the prefix.
    std::string as_given(std::string text) const
    {
        for (std::size_t at = text.find(prefix_); at != std::string::npos; at = text.find(prefix_, at)) {
            text.erase(at, prefix_.size());
        }
        return text;
    }

private:
    inline static long made_ = 0;
    std::string prefix_, stray_;
    std::vector<std::pair<std::string, std::string>> all_;  ///< names and values
};

/// M, its matrix, and two vectors whose numbers are the caller's.
struct preconditioner {
    Mat a = nullptr;
    PC pc = nullptr;
    Vec r = nullptr, z = nullptr;

    preconditioner() = default;
    preconditioner(const preconditioner&) = delete;
    preconditioner& operator=(const preconditioner&) = delete;
    ~preconditioner()
    {
        (void)VecDestroy(&z);
        (void)VecDestroy(&r);
        (void)PCDestroy(&pc);
        (void)MatDestroy(&a);
    }
};

PetscErrorCode apply(preconditioner& m, const double* r, double* z)
{
    PetscCall(VecPlaceArray(m.r, r));
    PetscCall(VecPlaceArray(m.z, z));
    const PetscErrorCode applied = PCApply(m.pc, m.r, m.z);
    PetscCall(VecResetArray(m.z));
    PetscCall(VecResetArray(m.r));
    return applied;
}

/// An error where PETSc could not make or use factors although it called that none.
PetscErrorCode require_no_failure(PC pc)
{
    PCFailedReason reason = PC_NOERROR;
    PetscCall(PCGetFailedReason(pc, &reason));
    if (reason != PC_NOERROR) {
        const bool memory = reason == PC_FACTOR_OUTMEMORY;
        SETERRQ(PETSC_COMM_SELF, memory ? PETSC_ERR_MEM : PETSC_ERR_MAT_LU_ZRPVT, "%s (reason %d)",
                memory ? "out of memory" : "a pivot is zero, or a part of it failed", static_cast<int>(reason));
    }
    return 0;
}

/// Where a preconditioner is being made: what an error means depends on it.
enum class phase { start, options, numbers };

PetscErrorCode make(const petsc_matrix& a, own_options& options, preconditioner& m, phase& at)
{
    PetscCall(start());
    at = phase::options;
    PetscCall(options.insert());
    at = phase::numbers;
    PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, a.rows, a.rows, const_cast<PetscInt*>(a.row_begin),
                                        const_cast<PetscInt*>(a.column), const_cast<PetscScalar*>(a.value), &m.a));
    PetscCall(MatSetOption(m.a, MAT_SYMMETRIC, a.symmetric != 0 ? PETSC_TRUE : PETSC_FALSE));
    PetscCall(MatSetOption(m.a, MAT_SPD, a.definite != 0 ? PETSC_TRUE : PETSC_FALSE));
    PetscCall(residua_petsc::describe_nodes(a, m.a));
    for (Vec* const each : {&m.r, &m.z}) {
        PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, a.rows, nullptr, each));
    }
    PetscCall(PCCreate(PETSC_COMM_SELF, &m.pc));
    PetscCall(PCSetOptionsPrefix(m.pc, options.prefix().c_str()));
    PetscCall(PCSetOperators(m.pc, m.a, m.a));
    at = phase::options;
    PetscCall(PCSetFromOptions(m.pc));
    at = phase::numbers;
    PetscCall(PCSetUp(m.pc));
    PetscCall(require_no_failure(m.pc));
    const std::vector<double> ones(static_cast<std::size_t>(a.rows), 1.0);
    std::vector<double> z(ones.size());
    PetscCall(apply(m, ones.data(), z.data()));  // parts of M read their options when they are first applied
    at = phase::options;
    PetscCall(options.require_all_used());
    return 0;
}

petsc_outcome outcome_of(PetscErrorCode code, phase at)
{
    return code == PETSC_ERR_MEM ? petsc_outcome::memory
           : at == phase::options || code == PETSC_ERR_SUP || code == PETSC_ERR_ARG_UNKNOWN_TYPE ||
                   code == PETSC_ERR_MISSING_FACTOR
               ? petsc_outcome::option
               : petsc_outcome::failure;
}

petsc_outcome make(const petsc_matrix* a, const char* text, void** made, char* message, std::size_t size)
{
    const std::scoped_lock lock(one_call());
    const kept_errors errors;
    auto m = std::make_unique<preconditioner>();
    own_options options(text);
    phase at = phase::start;
    if (const PetscErrorCode code = make(*a, options, *m, at); code != 0) {
        put_line(options.as_given(errors.words()), message, size);
        return outcome_of(code, at);
    }
    *made = m.release();
    return petsc_outcome::done;
}

petsc_outcome apply(void* m, const double* r, double* z, char* message, std::size_t size)
{
    const std::scoped_lock lock(one_call());
    const kept_errors errors;
    auto& by = *static_cast<preconditioner*>(m);
    PetscErrorCode code = apply(by, r, z);
    code = code == 0 ? require_no_failure(by.pc) : code;
    put_line(errors.words(), message, size);
    return code == 0 ? petsc_outcome::done : code == PETSC_ERR_MEM ? petsc_outcome::memory : petsc_outcome::failure;
}

void release(void* m)
{
    const std::scoped_lock lock(one_call());
    PetscBool ended = PETSC_FALSE;
    (void)PetscFinalized(&ended);
    if (ended != PETSC_TRUE) {  // the program may have ended PETSc before its solvers
        const kept_errors errors;
        delete static_cast<preconditioner*>(m);
    }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const petsc_table* residua_petsc_table()
{
    static const petsc_table table{residua::petsc_table_version, make, apply, release};
    return &table;
}
