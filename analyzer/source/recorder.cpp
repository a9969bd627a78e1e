#include "analyzer/source/recorder.h"

#include "llvm/Support/Path.h"

#include <chrono>

namespace lint {

namespace vfs = llvm::vfs;

namespace {

Stamp stampOf(const vfs::Status& status) {
  auto time = std::chrono::nanoseconds(status.getLastModificationTime().time_since_epoch()).count();
  return {status.getSize(), static_cast<uint64_t>(time), status.getUniqueID().getFile()};
}

}  // namespace

/// What is read of it is what is recorded, whatever becomes of the file meanwhile.
class RecordedFile : public vfs::File {
 public:
  RecordedFile(Recorder& recorder, std::string path, std::unique_ptr<vfs::File> file) : recorder_(recorder), path_(std::move(path)), file_(std::move(file)) {}

  llvm::ErrorOr<vfs::Status> status() override { return file_->status(); }
  llvm::ErrorOr<std::string> getName() override { return file_->getName(); }
  std::error_code close() override { return file_->close(); }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, int64_t size, bool terminated, bool isVolatile) override {
    auto buffer = file_->getBuffer(name, size, terminated, isVolatile);
    if (buffer) recorder_.noteContent(path_, (*buffer)->getBuffer(), file_->status());
    else recorder_.repeatable_ = false;
    return buffer;
  }

 private:
  Recorder& recorder_;
  std::string path_;
  std::unique_ptr<vfs::File> file_;
};

Recorder::Recorder(llvm::IntrusiveRefCntPtr<vfs::FileSystem> files, std::string except) : ProxyFileSystem(std::move(files)), except_(std::move(except)) {
  if (!except_.empty()) except_ += '/';
}

std::string Recorder::nameOf(const llvm::Twine& path) const {
  llvm::SmallString<256> name;
  path.toVector(name);
  makeAbsolute(name);
  return name.str().str();
}

void Recorder::note(const std::string& path, Witness::Kind kind) {
  if (!except_.empty() && llvm::StringRef(path).starts_with(except_)) return;
  Witness& witness = seen_.try_emplace(path, Witness{path, kind, {}, {}, false}).first->second;
  if (witness.kind < kind) witness.kind = kind;
}

void Recorder::noteStatus(const std::string& path, const llvm::ErrorOr<vfs::Status>& status) {
  if (!status) note(path, Witness::Kind::absent);
  else note(path, status->isDirectory() ? Witness::Kind::folder : Witness::Kind::file);
}

void Recorder::noteContent(const std::string& path, llvm::StringRef text, const llvm::ErrorOr<vfs::Status>& status) {
  if (!except_.empty() && llvm::StringRef(path).starts_with(except_)) return;
  if (!status || !status->isRegularFile()) {
    repeatable_ = false;
    return;
  }
  Digest digest = digestOf(text);
  auto [it, isNew] = seen_.try_emplace(path);
  Witness& witness = it->second;
  if (witness.kind == Witness::Kind::content && witness.digest != digest) repeatable_ = false;  // it changes while it is read
  Stamp stamp = stampOf(*status);
  witness = {path, Witness::Kind::content, stamp, digest, isRecent(stamp, start_)};
}

llvm::ErrorOr<vfs::Status> Recorder::status(const llvm::Twine& path) {
  auto status = ProxyFileSystem::status(path);
  noteStatus(nameOf(path), status);
  return status;
}

llvm::ErrorOr<std::unique_ptr<vfs::File>> Recorder::openFileForRead(const llvm::Twine& path) {
  auto file = ProxyFileSystem::openFileForRead(path);
  std::string name = nameOf(path);
  if (!file) {
    auto status = ProxyFileSystem::status(path);
    noteStatus(name, status);
    if (status && !status->isDirectory()) repeatable_ = false;
    return file;
  }
  note(name, Witness::Kind::file);
  return std::make_unique<RecordedFile>(*this, name, std::move(*file));
}

vfs::directory_iterator Recorder::dir_begin(const llvm::Twine& folder, std::error_code& error) {
  auto begin = ProxyFileSystem::dir_begin(folder, error);
  std::string name = nameOf(folder);
  if (error) {
    noteStatus(name, ProxyFileSystem::status(folder));
    return begin;
  }
  auto status = ProxyFileSystem::status(folder);
  if (status) seen_[name] = {name, Witness::Kind::listing, stampOf(*status), listingOf(name), isRecent(stampOf(*status), start_)};
  return begin;
}

std::vector<Witness> Recorder::witnesses() const {
  std::vector<Witness> list;
  for (const auto& [path, witness] : seen_) list.push_back(witness);
  return list;
}

}  // namespace lint
