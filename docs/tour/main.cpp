#include "classifier.h"
#include "detector.h"
#include "gated-cell.h"
#include "host-reads.h"
#include "loss.h"
#include "trust-ratio.h"

#include <cstdio>

// Some steps of training on made-up images: rows feed the recurrent cell, the image the classifier, its features the
// detector. Prints one line a step, with enough digits to compare two versions of the models.
int main() {
  const int64_t batch = 32, steps = 4;
  torch::manual_seed(7);
  at::set_num_threads(1);

  Classifier classifier(10);
  GatedCell cell(GatedCellOptions{});
  DetectorHead detector(20, Settings{{"threshold", 0.3}, {"most", 12}});
  AccuracyLoss criterion;

  std::vector<torch::Tensor> parameters;
  for (auto& module : std::vector<std::shared_ptr<torch::nn::Module>>{classifier.ptr(), cell.ptr(), detector.ptr()})
    for (auto& parameter : module->parameters()) parameters.push_back(parameter);
  TrustRatio optimizer(parameters, TrustRatioOptions(0.02).weight_decay(1e-4));

  auto images = torch::rand({batch, 3, 28, 28});
  auto rows = images.mean(1).permute({1, 0, 2}).contiguous();
  auto target = torch::randint(10, {batch}, torch::kLong);

  HostReads reads;
  for (int64_t step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    auto predictions = classifier->forward(images);
    auto state = cell->forward(rows);
    auto found = detector->forward(classifier->features(images));
    auto loss = robust(criterion->forward(predictions, target)) + state.square().mean() + found.boxes.square().mean() +
                found.scores.mean() - 0.01 * entropy(predictions.exp());
    loss.backward();
    optimizer.step();
    const int64_t count = reads.take();

    double weights = 0;
    for (const auto& parameter : parameters) weights += parameter.abs().sum().item<double>();
    std::printf("step %d: loss %.9g, accuracy %.9g, sum of weights %.12g\n", static_cast<int>(step), loss.item<double>(),
                criterion->accuracy().item<double>(), weights);
    std::printf("step %d: %d host reads\n", static_cast<int>(step), static_cast<int>(count));
    reads.take();
  }
}
