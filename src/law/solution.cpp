#include "ricochet/law/solution.hpp"

#include "answer.hpp"

namespace ricochet {

template <class T>
void finish(const Local<T>& local, const Solution<T>& solution, const Path<T>& path, double mu, Outcome& out) {
  (void)answer_detail::finish(local, solution, path, mu, out);
}

template void finish<double>(const Local<double>&, const Solution<double>&, const Path<double>&, double, Outcome&);
template void finish<long double>(const Local<long double>&, const Solution<long double>&, const Path<long double>&,
                                  double, Outcome&);

}  // namespace ricochet
