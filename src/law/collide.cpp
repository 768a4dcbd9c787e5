#include "ricochet/law/collide.hpp"

#include "answer.hpp"

namespace ricochet {

template <class T>
Expected<Outcome> answer(const Local<T>& local, const Solution<T>& solution, const Path<T>& path, double mu) {
  return answer_detail::answer(local, solution, path, mu);
}

template Expected<Outcome> answer<double>(const Local<double>&, const Solution<double>&, const Path<double>&, double);
template Expected<Outcome> answer<long double>(const Local<long double>&, const Solution<long double>&,
                                               const Path<long double>&, double);

}  // namespace ricochet
