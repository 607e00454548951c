// A library that has some functions of rmw, by which it may be taken for another one. IDENTIFIER is its name; without
// it the environment says it, as with librmw_implementation.
#include <stdlib.h>

const char *rmw_get_implementation_identifier(void) {
#ifdef IDENTIFIER
	return IDENTIFIER;
#else
	const char *name = getenv("RMW_IMPLEMENTATION");
	return name && *name ? name : "rmw_fastrtps_cpp";
#endif
}

#ifdef PREFETCH
void prefetch_symbols(void) {}
#endif
