/* A libnvidia-ml.so.1 of the tests: FAKE_NVML says how it behaves, words joined by commas. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  char legacy[16];
  unsigned domain, bus, device, pci_device, pci_subsystem;
  char bus_id[32];
} pci_info;
typedef struct {
  unsigned long long total, free, used;
} memory_info;

/* The number behind `NAME=`, `NAME` alone is 1; 0: not there. */
static unsigned long word(const char* name) {
  const char* at = getenv("FAKE_NVML");
  const size_t size = strlen(name);
  for (; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    if (strncmp(at, name, size) != 0) continue;
    if (at[size] == '=') return strtoul(at + size + 1, NULL, 0);
    if (at[size] == 0 || at[size] == ',') return 1;
  }
  return 0;
}
static unsigned long number(void* handle) { return (unsigned long)handle - 1; }

__attribute__((constructor)) static void begin(void) {
  if (word("abort_at_load")) {
    fprintf(stderr, "the fake library aborts\n");
    abort();
  }
  if (word("noise")) printf("a line that the library prints\n"), fflush(stdout);
  if (word("exit_at_load")) _exit(7);
  if (word("flood")) for (int i = 0; i < 100000; ++i) printf("a flood of the library's own words\n");
}
__attribute__((destructor)) static void end(void) {
  if (word("block_at_end")) for (;;) pause();
}

int nvmlInit_v2(void) {
  while (word("block")) pause();
  if (word("crash")) *(volatile int*)8 = 1;
  return (int)word("init");
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) { return snprintf(text, size, "580.159.04"), 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = (unsigned)word("gpus"), 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
  *handle = (void*)(unsigned long)(index + 1);
  while (word("stuck") == index + 1) pause();
  if (word("denied") && index >= word("denied")) return 4;
  return word("lost") && index + 1 == word("lost") ? (int)word("code") : 0;
}
int nvmlDeviceGetName(void* handle, char* text, unsigned size) {
  if (word("endless_names")) return memset(text, 'x', size), 0;
  if (word("bytes")) return snprintf(text, size, "a\033[31m\xff\"b\n"), 0;
  return snprintf(text, size, number(handle) >= 1000 ? "NVIDIA H100 80GB HBM3 MIG 1g.10gb" : "NVIDIA H100 80GB HBM3"), 0;
}
int nvmlDeviceGetUUID(void* handle, char* text, unsigned size) {
  return snprintf(text, size, number(handle) >= 1000 ? "MIG-%lu" : "GPU-%lu", number(handle)), 0;
}
int nvmlDeviceGetPciInfo_v3(void* handle, pci_info* info) {
  memset(info, 0, sizeof *info);
  return snprintf(info->bus_id, sizeof info->bus_id, "00000000:%02lX:00.0", 0x1a + number(handle)), 0;
}
int nvmlDeviceGetMinorNumber(void* handle, unsigned* minor) { return *minor = (unsigned)number(handle), 0; }
int nvmlDeviceGetMemoryInfo(void* handle, memory_info* memory) { return memory->total = 85899345920ull, (void)handle, 0; }
int nvmlDeviceGetMigMode(void* handle, unsigned* current, unsigned* pending) {
  if (!word("mig")) return 3;
  return *current = *pending = number(handle) < word("mig"), 0;
}
int nvmlDeviceGetMaxMigDeviceCount(void* handle, unsigned* count) { return *count = 7, (void)handle, 0; }
int nvmlDeviceGetMigDeviceHandleByIndex(void* handle, unsigned index, void** instance) {
  if (index >= word("instances") + 1 || index == 1) return 6; /* a gap */
  return *instance = (void*)(1001 + 100 * number(handle) + index), 0;
}
