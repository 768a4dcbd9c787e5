#include "commands/ranks.hpp"

#include <cstdlib>
#include <utility>

#ifdef RICOCHET_HAVE_MPI
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <chrono>
#include <thread>
#endif

namespace ricochet::app {
namespace {

/// MPI is started only by those that start processes of it: on its own it would take a while and more memory.
bool under_mpirun() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(variable) != nullptr) return true;  // NOLINT(concurrency-mt-unsafe)
  return false;
}

}  // namespace

Ranks::Ranks(Ranks&& other) noexcept
    : rank_(other.rank_), count_(other.count_), started_(std::exchange(other.started_, false)) {}

#ifdef RICOCHET_HAVE_MPI

Expected<Ranks> Ranks::start() {
  Ranks out;
  if (!under_mpirun()) return out;
  // Threads compute; only the first one sends and receives. Any failure of MPI ends all ranks, which is its default.
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &out.rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &out.count_);
  out.started_ = true;
  return out;
}

Ranks::~Ranks() {
  if (started_) MPI_Finalize();
}

std::string Ranks::broadcast(std::string text) const {
  if (count_ == 1) return text;
  auto size = static_cast<unsigned long>(text.size());
  MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
  text.resize(size);
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_BYTE, 0, MPI_COMM_WORLD);
  return text;
}

void Ranks::send(int to, std::string_view text) const {
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

Ranks::Message Ranks::receive() const {
  MPI_Status status;
  for (int there = 0; there == 0;) {
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    if (there == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  Message out{status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), '\0')};
  MPI_Recv(out.text.data(), size, MPI_BYTE, out.from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return out;
}

#else

Expected<Ranks> Ranks::start() {
  if (under_mpirun())
    return fail(
        ErrorCode::unavailable, "", "",
        "this program was built without libopenmpi-dev, and every rank would compute the whole; --shard divides it");
  return Ranks();
}

Ranks::~Ranks() = default;
std::string Ranks::broadcast(std::string text) const { return text; }
void Ranks::send(int, std::string_view) const {}
Ranks::Message Ranks::receive() const { return {}; }

#endif

}  // namespace ricochet::app
