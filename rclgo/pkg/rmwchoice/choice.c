#define _GNU_SOURCE
#include "choice.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char *rmw_get_implementation_identifier(void) __attribute__((weak));

static const char variable[] = "RMW_IMPLEMENTATION=";
static const char *asked;
static char chooser[PATH_MAX];

const char *rmwchoice_asked(void) { return asked; }
const char *rmwchoice_chooser(void) { return *chooser ? chooser : NULL; }
const char *rmwchoice_in_use(void) {
	return rmw_get_implementation_identifier != NULL ? rmw_get_implementation_identifier() : NULL;
}
const char *rmwchoice_library(void) {
	Dl_info info;
	if (rmw_get_implementation_identifier == NULL || dladdr((void *)rmw_get_implementation_identifier, &info) == 0) {
		return NULL;
	}
	return info.dli_fname;
}

// Reports whether the object is the library of that file name, with or without a version behind it.
static bool is(const struct dl_phdr_info *object, const char *file) {
	const char *base = strrchr(object->dlpi_name, '/');
	base = base != NULL ? base + 1 : object->dlpi_name;
	size_t n = strlen(file);
	return strncmp(base, file, n) == 0 && (base[n] == '\0' || base[n] == '.');
}

// librmw_implementation is recognized by its file: no symbol of it is certain to be exported.
static int look(struct dl_phdr_info *object, size_t size, void *data) {
	(void)size;
	(void)data;
	if (!is(object, "librmw_implementation.so") || strlen(object->dlpi_name) >= sizeof chooser) {
		return 0;
	}
	strcpy(chooser, object->dlpi_name);
	return 1;
}

static const char *value_of(char **environment, const char *prefix) {
	size_t n = strlen(prefix);
	for (; *environment != NULL; environment++) {
		if (strncmp(*environment, prefix, n) == 0) {
			return *environment + n;
		}
	}
	return NULL;
}

// Reports whether the folder has the file. The loader takes an empty name for the working directory.
static bool has(const char *folder, size_t n, const char *file) {
	char path[PATH_MAX];
	if (n == 0) {
		folder = ".";
		n = 1;
	}
	if (n + strlen("/") + strlen(file) >= sizeof path) {
		return false;
	}
	memcpy(path, folder, n);
	path[n] = '\0';
	strcat(strcat(path, "/"), file);
	return access(path, R_OK) == 0;
}

// Puts the folder of an object into origin, and returns its length; 0 if it is not known.
static size_t origin_of(const char *object, char origin[PATH_MAX]) {
	ssize_t n = (ssize_t)strlen(object);
	if (n == 0) { // the program
		n = readlink("/proc/self/exe", origin, PATH_MAX - 1);
	} else if (n < PATH_MAX) {
		memcpy(origin, object, (size_t)n);
	}
	while (n > 0 && n < PATH_MAX && origin[n - 1] != '/') {
		n--;
	}
	return n > 0 && n < PATH_MAX ? (size_t)n : 0;
}

// Reports whether a folder of a list has the file. What the loader puts in place of other words than $ORIGIN is not
// known, so a folder with one counts as yes.
static bool listed(const char *folders, const char *separators, const char *object, const char *file) {
	static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
	if (folders == NULL || *folders == '\0') {
		return false;
	}
	for (;;) {
		char folder[PATH_MAX];
		size_t n = strcspn(folders, separators), at = 0, skip = 0;
		for (int i = 0; i < 2 && skip == 0; i++) {
			if (strncmp(folders, origins[i], strlen(origins[i])) == 0) {
				skip = strlen(origins[i]);
				at = origin_of(object, folder);
			}
		}
		if ((skip > 0 && at == 0) || memchr(folders + skip, '$', n - skip) != NULL || at + n - skip >= sizeof folder) {
			return true;
		}
		memcpy(folder + at, folders + skip, n - skip);
		if (has(folder, at + n - skip, file)) {
			return true;
		}
		if (folders[n] == '\0') {
			return false;
		}
		folders += n + 1;
	}
}

// Reports whether an object is the file itself, lies beside it as the chooser and libc may, or has a folder with it in
// its RPATH or RUNPATH. The loader searches those of some objects only, which is not told apart here.
static int leads(struct dl_phdr_info *object, size_t size, void *file) {
	(void)size;
	const char *slash = strrchr(object->dlpi_name, '/');
	if (is(object, file)) {
		return 1;
	}
	if (slash != NULL && (is(object, "librmw_implementation.so") || is(object, "libc.so")) &&
	    has(object->dlpi_name, (size_t)(slash - object->dlpi_name), file)) {
		return 1;
	}
	for (int i = 0; i < object->dlpi_phnum; i++) {
		if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) {
			continue;
		}
		const ElfW(Dyn) *dynamic = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
		ElfW(Addr) strings = 0;
		for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++) {
			if (d->d_tag == DT_STRTAB) { // relocated in place where that section can be written
				strings = d->d_un.d_ptr < object->dlpi_addr ? object->dlpi_addr + d->d_un.d_ptr : d->d_un.d_ptr;
			}
		}
		for (const ElfW(Dyn) *d = dynamic; strings != 0 && d->d_tag != DT_NULL; d++) {
			if ((d->d_tag == DT_RPATH || d->d_tag == DT_RUNPATH) &&
			    listed((const char *)(strings + d->d_un.d_val), ":", object->dlpi_name, file)) {
				return 1;
			}
		}
	}
	return 0;
}

// Reports whether the cache of ldconfig, a list of names among others, has the file.
static bool cached(const char *file) {
	struct stat about;
	int fd = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return false;
	}
	bool found = false;
	if (fstat(fd, &about) == 0 && about.st_size > 0) {
		void *text = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (text != MAP_FAILED) {
			found = memmem(text, (size_t)about.st_size, file, strlen(file) + 1) != NULL;
			munmap(text, (size_t)about.st_size);
		}
	}
	close(fd);
	return found;
}

// Reports whether librmw_implementation may find a middleware, which it opens by its bare file name. It never looks in
// AMENT_PREFIX_PATH.
static bool installed(char **environment, const char *middleware) {
	char file[NAME_MAX + 1];
	if (strlen("lib.so") + strlen(middleware) >= sizeof file) {
		return false;
	}
	strcat(strcat(strcpy(file, "lib"), middleware), ".so");
	return listed(value_of(environment, "LD_LIBRARY_PATH="), ":;", "", file) ||
	       dl_iterate_phdr(leads, file) != 0 || cached(file) ||
	       listed("/lib:/usr/lib:/lib64:/usr/lib64:/usr/local/lib", ":", "", file);
}

// It runs before the libraries are initialized, so it calls nothing that needs to be; the variable gets another name in
// place, and its own back from Go. Where the variable is there several times, ROS reads the first.
static void choose(int argc, char **argv, char **environment) {
	(void)argc;
	(void)argv;
	const char *value = value_of(environment, variable);
	if (rmw_get_implementation_identifier == NULL || value == NULL || *value == '\0') {
		return;
	}
	dl_iterate_phdr(look, NULL);
	if (*chooser != '\0' ? installed(environment, value) : strcmp(value, rmw_get_implementation_identifier()) == 0) {
		return;
	}
	asked = value;
	for (char **entry = environment; *entry != NULL; entry++) {
		if (strncmp(*entry, variable, sizeof variable - 1) == 0) {
			**entry = 'r';
		}
	}
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **, char **) = choose;
