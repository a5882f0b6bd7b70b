#include "started_processes.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

#include <residua/io/team.hpp>
#include <residua/solvers/processes/open_processes.hpp>

namespace residua {
namespace {

/// The number in the first of these variables that is set; 0: there is none.
int number_in(std::initializer_list<const char*> names)
{
    for (const char* name : names) {
        if (const char* const text = std::getenv(name)) {
            return std::atoi(text);
        }
    }
    return 0;
}

}  // namespace

std::unique_ptr<processes> started_processes()
{
    const char* const named = std::getenv("RESIDUA_MPI");
    const std::string file = named != nullptr && *named != '\0' ? named : mpi_library;
    if (file == "off" || number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) < 2) {
        return nullptr;
    }
    try {
        return open_processes(file);
    } catch (const resource_error& e) {
        throw resource_error(std::string(e.what()) + "; with RESIDUA_MPI=off each process is alone");
    }
}

bool started_as_another() { return number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) > 0; }

int threads_of_process()
{
    const int here = number_in({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_TASKS_PER_NODE"});
    return std::max(1, io::available_processors() / std::max(here, 1));
}

}  // namespace residua
