#include "kernel_cache/disk_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

#include "kernel_cache/kernel_cache.h"
#include "temporary_folder.h"

namespace litz::kernel_cache {
namespace {

TEST(DiskStore, KeepsAndGives) {
  const TemporaryFolder folder;
  const std::string bytes = std::string("binary\0bytes\n", 13);
  {
    DiskStore store(folder.path + "/a/b/cache");
    EXPECT_EQ(store.problem(), "");
    EXPECT_EQ(store.load("k1"), std::nullopt);
    EXPECT_TRUE(store.save("k1", bytes));
    EXPECT_TRUE(store.save("k2", ""));
    EXPECT_EQ(store.load("k1"), bytes);
    EXPECT_TRUE(store.save("k1", "other"));
  }
  DiskStore again(folder.path + "/a/b/cache");
  EXPECT_EQ(again.load("k1"), "other");
  EXPECT_EQ(again.load("k2"), "");
  EXPECT_EQ(disk_usage(again.directory()).entries, 2);
}

TEST(DiskStore, FindsDamage) {
  const TemporaryFolder folder;
  DiskStore store(folder.path);
  ASSERT_TRUE(store.save("k", "some compiled bytes"));
  const std::string name = folder.file("k.litz");
  const std::string good = read_text(name);
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    write_text(name, bad);
    ASSERT_EQ(store.load("k"), std::nullopt) << at;
  }
  for (size_t cut = 0; cut < good.size(); ++cut) {
    write_text(name, good.substr(0, cut));
    ASSERT_EQ(store.load("k"), std::nullopt) << cut;
  }
  write_text(name, good + "x");
  EXPECT_EQ(store.load("k"), std::nullopt);
  write_text(folder.file("other.litz"), good);
  EXPECT_EQ(store.load("other"), std::nullopt);
  EXPECT_TRUE(store.save("k", "new"));
  EXPECT_EQ(store.load("k"), "new");
}

TEST(DiskStore, IgnoresEntriesThatOthersMayWrite) {
  const TemporaryFolder folder;
  DiskStore store(folder.path);
  ASSERT_TRUE(store.save("k", "bytes"));
  const std::string name = folder.file("k.litz");
  chmod(name.c_str(), 0622);
  EXPECT_EQ(store.load("k"), std::nullopt);
  chmod(name.c_str(), 0660);
  EXPECT_EQ(store.load("k"), std::nullopt);
  chmod(name.c_str(), 0644);
  EXPECT_EQ(store.load("k"), "bytes");
}

TEST(DiskStore, IgnoresLinks) {
  const TemporaryFolder folder;
  DiskStore store(folder.path);
  ASSERT_TRUE(store.save("k", "bytes"));
  std::filesystem::rename(folder.file("k.litz"), folder.file("elsewhere"));
  std::filesystem::create_symlink(folder.file("elsewhere"), folder.file("k.litz"));
  EXPECT_EQ(store.load("k"), std::nullopt);
  // Saving replaces the link and leaves what it pointed to alone.
  const std::string before = read_text(folder.file("elsewhere"));
  EXPECT_TRUE(store.save("k", "mine"));
  EXPECT_EQ(store.load("k"), "mine");
  EXPECT_EQ(read_text(folder.file("elsewhere")), before);
}

TEST(DiskStore, RefusesFoldersThatOthersMayWrite) {
  const TemporaryFolder folder;
  chmod(folder.path.c_str(), 0777);
  DiskStore store(folder.path);
  EXPECT_NE(store.problem().find("other users may write"), std::string::npos) << store.problem();
  EXPECT_EQ(store.directory(), "");
  EXPECT_FALSE(store.save("k", "bytes"));
  EXPECT_EQ(store.load("k"), std::nullopt);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
}

TEST(DiskStore, RefusesALinkAsFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("real"));
  std::filesystem::create_symlink(folder.file("real"), folder.file("link"));
  DiskStore store(folder.file("link"));
  EXPECT_NE(store.problem(), "");
  EXPECT_FALSE(store.save("k", "bytes"));
}

TEST(DiskStore, RefusesFoldersOfOthers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const TemporaryFolder folder;
  ASSERT_EQ(chown(folder.path.c_str(), 12345, 12345), 0);
  DiskStore store(folder.path);
  EXPECT_NE(store.problem().find("another user"), std::string::npos) << store.problem();
}

TEST(DiskStore, IgnoresEntriesOfOthers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const TemporaryFolder folder;
  DiskStore store(folder.path);
  ASSERT_TRUE(store.save("k", "bytes"));
  ASSERT_EQ(chown(folder.file("k.litz").c_str(), 12345, 12345), 0);
  EXPECT_EQ(store.load("k"), std::nullopt);
}

TEST(DiskStore, WorksWithoutAFolder) {
  const TemporaryFolder folder;
  write_text(folder.file("file"), "x");
  for (const std::string& path :
       {std::string(), folder.file("file"), folder.file("file") + "/below", std::string("/proc/litz-cache")}) {
    DiskStore store(path);
    EXPECT_NE(store.problem(), "") << path;
    EXPECT_FALSE(store.save("k", "bytes"));
    EXPECT_EQ(store.load("k"), std::nullopt);
  }
}

TEST(DiskStore, AFullDiskLeavesNothing) {
  const TemporaryFolder folder;
  DiskStore store(folder.path);
  // A limit on the size of files fails a write as a full disk does.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  setrlimit(RLIMIT_FSIZE, &small);
  const bool kept = store.save("k", std::string(100000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_FALSE(kept);
  EXPECT_EQ(store.load("k"), std::nullopt);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
  EXPECT_TRUE(store.save("k", "fits"));
}

TEST(DiskStore, ManyWritersAndReaders) {
  const TemporaryFolder folder;
  DiskStore store(folder.path);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        store.save("k", std::string(1000 + t, static_cast<char>('a' + t)));
        auto found = store.load("k");
        if (!found || found->size() != 1000 + static_cast<size_t>((*found)[0] - 'a')) ++wrong[t];
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(disk_usage(folder.path).entries, 1);
}

TEST(DiskStore, ClearingRemovesEntriesOnly) {
  const TemporaryFolder folder;
  DiskStore store(folder.path);
  store.save("a", "1");
  store.save("b", "22");
  write_text(folder.file("notes.txt"), "mine");
  std::filesystem::create_directory(folder.file("d.litz"));
  EXPECT_EQ(disk_usage(folder.path).entries, 2);
  EXPECT_EQ(clear_disk(folder.path), 2);
  EXPECT_EQ(disk_usage(folder.path).entries, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.file("notes.txt")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("d.litz")));
  EXPECT_EQ(clear_disk(folder.file("nothing")), 0);
}

}  // namespace
}  // namespace litz::kernel_cache
