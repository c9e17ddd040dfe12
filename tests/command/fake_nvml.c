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

/* Health: words such as rows_failed=1 hold for all GPUs, or for the one of `bad`, counted from 1. `no_health` is an older library's. */
static unsigned long health(void* handle, const char* name, unsigned long healthy) {
  if (word("bad") && word("bad") != number(handle) + 1) return healthy;
  const char* at = getenv("FAKE_NVML");
  char key[64];
  snprintf(key, sizeof key, "%s=", name);
  for (; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    if (strncmp(at, key, strlen(key)) == 0) return strtoul(at + strlen(key), NULL, 0);
  }
  return healthy;
}
static int one(void* handle, const char* name, unsigned long healthy, unsigned* value) {
  if (word("no_health")) return 3;
  return *value = (unsigned)health(handle, name, healthy), 0;
}
typedef struct {
  unsigned id, scope;
  long long timestamp, latency;
  int type, result;
  union {
    unsigned small;
    unsigned long long large;
  } value;
} field_value;

int nvmlDeviceGetFieldValues(void* handle, int count, field_value* values) {
  while (word("stuck_health") == number(handle) + 1) pause();
  if (word("crash_health")) *(volatile int*)8 = 1;
  for (int i = 0; i < count; ++i) {
    static const struct {
      unsigned id;
      const char* name;
    } rows[] = {{142, "rows_correctable"}, {143, "rows_uncorrectable"}, {144, "rows_pending"}, {145, "rows_failed"}, {31, "pages_pending"}, {230, "recovery"}};
    values[i].result = 3;
    for (unsigned row = 0; row < sizeof rows / sizeof rows[0]; ++row) {
      if (rows[row].id != values[i].id || word("no_health") || (values[i].id == 230 && word("old"))) continue;
      values[i].result = 0;
      values[i].type = values[i].id == 230 ? 1 : 3;
      values[i].value.large = health(handle, rows[row].name, 0);
    }
  }
  return 0;
}
typedef struct {
  unsigned version;
  unsigned long long total, reserved, free, used;
} memory_info_2;
int nvmlDeviceGetMemoryInfo_v2(void* handle, memory_info_2* memory) {
  if (memory->version != (2u << 24 | 40)) return 25;
  memory->total = 85899345920ull;
  memory->reserved = 500ull << 20;
  memory->used = health(handle, "used", 4 << 20);
  return memory->free = memory->total - memory->reserved - memory->used, 0;
}
int nvmlDeviceGetTemperature(void* handle, unsigned sensor, unsigned* value) { return sensor == 0 ? one(handle, "temperature", 35, value) : 2; }
int nvmlDeviceGetPersistenceMode(void* handle, unsigned* value) { return one(handle, "persistence", 1, value); }
int nvmlDeviceGetComputeMode(void* handle, unsigned* value) { return one(handle, "compute_mode", 0, value); }
int nvmlDeviceGetCurrPcieLinkWidth(void* handle, unsigned* value) { return one(handle, "width", 16, value); }
int nvmlDeviceGetMaxPcieLinkWidth(void* handle, unsigned* value) { return one(handle, "width_max", 16, value); }
int nvmlDeviceGetEccMode(void* handle, unsigned* current, unsigned* pending) {
  return one(handle, "ecc", 1, current) || one(handle, "ecc_next", 1, pending) ? 3 : 0;
}
int nvmlDeviceGetTotalEccErrors(void* handle, unsigned kind, unsigned counter, unsigned long long* count) {
  return *count = kind == 1 ? health(handle, counter == 0 ? "ecc_volatile" : "ecc_aggregate", 0) : 0, 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* handle, unsigned long long* reasons) { return *reasons = health(handle, "reasons", 1), 0; }
int nvmlDeviceGetNvLinkState(void* handle, unsigned link, int* state) {
  if (word("no_links") || link >= 18) return word("no_links") ? 3 : 2;
  return *state = link < health(handle, "links", 18), 0;
}
typedef struct {
  unsigned version;
  unsigned char cluster[16];
  unsigned status, clique;
  unsigned char state;
  unsigned mask;
  unsigned char summary;
} fabric_info;
int nvmlDeviceGetGpuFabricInfoV(void* handle, fabric_info* fabric) {
  if (fabric->version != (3u << 24 | 40) && fabric->version != (2u << 24 | 36)) return 25;
  if (word("old_fabric") && fabric->version >> 24 == 3) return 25;
  fabric->state = (unsigned char)health(handle, "fabric", 0);
  fabric->status = (unsigned)health(handle, "fabric_status", 0);
  if (fabric->version >> 24 == 3) fabric->summary = (unsigned char)health(handle, "fabric_health", 0);
  return 0;
}
typedef struct {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
} process_info;
int nvmlDeviceGetComputeRunningProcesses_v3(void* handle, unsigned* count, process_info* processes) {
  const unsigned long pid = health(handle, "pid", 0);
  if (pid && *count) processes[0].pid = (unsigned)pid, processes[0].memory = health(handle, "used", 4 << 20);
  return *count = pid != 0, 0;
}
