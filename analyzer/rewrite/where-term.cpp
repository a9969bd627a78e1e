#include "analyzer/rewrite/where-term.h"

#include "analyzer/facts/context.h"
#include "analyzer/facts/flow.h"
#include "analyzer/rewrite/lower.h"
#include "analyzer/source/range.h"

#include <charconv>
#include <cmath>

namespace lint {

using namespace clang;

Term whereTerm(Term condition, Term taken, Term other) {
  return callTerm("torch::where", *rt::opNamed("where"), {std::move(condition), std::move(taken), std::move(other)});
}

std::string briefOf(const Term& term) {
  llvm::StringRef text = term.text;
  text.consume_front("torch::");
  return oneLine(text.str());
}

Term numberTerm(double value) {
  bool whole = value == std::trunc(value) && std::abs(value) < 1e9;
  char buffer[40];
  Term term;
  term.text = whole ? std::to_string(int64_t(value)) : std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  term.lower = [whole, value](Lowering& into) {
    return whole ? into.constant(rt::Scalar(int64_t(value)), rt::HostType::int32) : into.constant(rt::Scalar(value), rt::HostType::float64);
  };
  return term;
}

// ---- what a read says of dtypes

// Of `x.item<float>()`, or of `x.item().toFloat()`, where the read itself gives a Scalar.
static QualType readType(const Read& read, ASTContext& context) {
  QualType type = read.call->getType();
  if (!isScalar(type)) return type;
  eachParent(read.call, context, [&](const DynTypedNode& node) {
    if (auto* conversion = node.get<CXXMemberCallExpr>()) type = conversion->getType();
    return isScalar(type) && node.get<Expr>();
  });
  return type;
}

// A read names a C++ type: that of the tensor, or one that holds its values. Wider dtypes would be rounded or would throw.
std::vector<rt::DType> dtypesFor(const Expr* host, ASTContext& context) {
  using rt::DType;
  std::vector<DType> dtypes;
  for (const Flow& flow : flowsInto(host)) {
    if (hasOwnDType(flow.read.tensor)) continue;
    auto type = hostTypeOf(readType(flow.read, context));
    if (type == rt::HostType::float32) return {DType::float32, DType::float16, DType::bfloat16};
    if (type == rt::HostType::float64) dtypes = {DType::float32, DType::float64, DType::float16, DType::bfloat16};
    if (type == rt::HostType::int64 || type == rt::HostType::int32) dtypes = {DType::int64};
  }
  return dtypes;
}

}  // namespace lint
